// The dims that the ops of one kernel share: dims of different tensors are one
// dim of the space if an op runs along both at once.
#ifndef MPC_DIALECT_GRAPH_ANALYSIS_ITERATIONSPACE_H
#define MPC_DIALECT_GRAPH_ANALYSIS_ITERATIONSPACE_H

#include "mpc/Dialect/Graph/Analysis/OpIndexing.h"

namespace mpc::graph {

class IterationSpace {
public:
  /// Lays `op` into the space. Fails, with an error on the op, if one element
  /// of a value would be needed at two indices.
  LogicalResult add(Operation *op);

  /// Dims of the space, of the op with the most elements in its own order, and
  /// dims that it lacks before them. The innermost dim is the last one.
  SmallVector<int> getOrder() const;
  /// Lays reductions of equal loops that share no tensor over each other.
  /// Fails, with an error on the op, if one folds other dims than the first.
  LogicalResult alignReductions();
  /// Dims that reductions fold. After alignReductions.
  DenseSet<int> getReducedDims() const;
  /// For each dim of `value` its dim of the space, or -1; nothing if no op of
  /// the space runs along it (operands of slices).
  std::optional<SmallVector<int>> getDims(Value value) const;
  int64_t getSize(int dim) const { return sizes[dim]; }

private:
  struct Entry {
    Operation *op;
    SmallVector<int> dims;
    SmallVector<bool> reduced;
  };
  int find(int dim) const;
  DenseSet<int> getReduced(const Entry &entry) const;
  LogicalResult checkDims() const;
  bool alignWith(const Entry &first, const Entry &other);
  void bind(Value value, ArrayRef<int> along, ArrayRef<int> dims);

  SmallVector<int> parents;
  SmallVector<int64_t> sizes;
  SmallVector<Entry> entries;
  DenseMap<Value, SmallVector<int>> values;
};

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_ANALYSIS_ITERATIONSPACE_H
