// The part of a step that can be computed in chunks of rows, so that a value
// that is large for its rows never lies in memory as a whole.
//
//   y    = x @ w              [rows, vocabulary]
//   loss = cross_entropy(y)   by row
//   dy   = ...                [rows, vocabulary], from y and what follows by
//   row dx   = dy @ w^T           rows of it from rows of dy dw   = x^T @ dy a
//   sum over rows
//
// The part is the product, what makes and reads values of at least its size,
// and what lies in between; of these ops each must treat a row by itself or sum
// over rows. The sums must be the end: what a row needs of other rows, as a
// mean over all of them, cannot be waited for. Where rows lie tells BatchDims.
#ifndef MPC_DIALECT_GRAPH_ANALYSIS_MEMORY_ROWCHUNKS_H
#define MPC_DIALECT_GRAPH_ANALYSIS_MEMORY_ROWCHUNKS_H

#include "mpc/Interfaces/LLVM.h"
#include <string>

namespace mpc::graph {

class RowChunks {
public:
  /// Of `product`, an op that SumsProducts, in a block of primitive ops. If it
  /// has no such part, nothing, and in `reason` why.
  static std::optional<RowChunks> find(Operation *product, std::string &reason);

  int64_t getRows() const { return rows; }
  /// In order; the first ones may be there for others, too.
  ArrayRef<Operation *> getOps() const { return ops; }
  /// What the ops read of the step that has rows. The first one is what the
  /// product reads.
  ArrayRef<Value> getInputs() const { return inputs; }
  /// What others read of the ops: with rows, or a sum over them.
  ArrayRef<Value> getResults() const { return results; }

  bool hasRows(Value value) const { return places.contains(value); }
  /// The dim along which rows lie.
  int64_t getDim(Value value) const { return places.lookup(value).dim; }
  /// The size of this dim for one row.
  int64_t getSizePerRow(Value value) const { return places.lookup(value).size; }
  /// The type of a value of the part for `count` rows.
  mlir::RankedTensorType typeWith(Value value, int64_t count) const;

private:
  friend class RowFinder;
  struct Place {
    int64_t dim;
    int64_t size;
  };
  int64_t rows = 0;
  SmallVector<Operation *> ops;
  SmallVector<Value> inputs;
  SmallVector<Value> results;
  llvm::DenseMap<Value, Place> places;
};

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_ANALYSIS_MEMORY_ROWCHUNKS_H
