// Decides in which order the dims of values lie.
//
// Ops with channels run on tensors that have them last, for which libraries
// have their fastest kernels on every target. From there the order spreads to
// what reads them: to an elementwise op where more of its operands lie so than
// would have to be brought into it, to ops that name dims and can rename them.
// What is left are borders, where a tensor is transposed: inputs, weights,
// reshapes.
//
//   %0 = graph.convolution %x, %w        channels last; %x, %w are borders
//   %1 = graph.relu %0                   follows
//   %2 = graph.sum %1 dims = [2, 3]      runs on dims [1, 2]; its result is as
//                                        it was
//
// Reads only.
#ifndef MPC_DIALECT_GRAPH_ANALYSIS_LAYOUTANALYSIS_H
#define MPC_DIALECT_GRAPH_ANALYSIS_LAYOUTANALYSIS_H

#include "mpc/Interfaces/LLVM.h"
#include "llvm/ADT/DenseMap.h"

namespace mpc::graph {

/// Dim i of a tensor as it lies is dim [i] of the tensor as the model says it.
using Permutation = SmallVector<int64_t>;

/// Whether `value` is a movement that repeats fewer elements, or made of one
/// element by element, as a cast is: it costs nothing to make it in another
/// order.
bool isRepeated(Value value);

class LayoutAnalysis {
public:
  explicit LayoutAnalysis(Block &block);

  /// How `op` is to run: the order of its operands' dims. Empty: as it stands.
  ArrayRef<int64_t> getOrder(Operation *op) const;
  /// How `value` lies then. Empty: as it stands.
  ArrayRef<int64_t> getOrder(Value value) const;

private:
  void visit(Operation &op);
  ArrayRef<int64_t> chooseOrder(Operation &op) const;

  DenseMap<Operation *, Permutation> orders;
  DenseMap<Value, Permutation> stored;
};

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_ANALYSIS_LAYOUTANALYSIS_H
