// The ops of a training step that make what the model returns, and the others,
// which follow them: the backward and the update.
//
// After `simplify` nothing else tells them apart: the seed of the backward may
// have been folded away, and equal ops of both are one.
#ifndef MPC_DIALECT_GRAPH_ANALYSIS_MEMORY_FORWARDPART_H
#define MPC_DIALECT_GRAPH_ANALYSIS_MEMORY_FORWARDPART_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mpc/Interfaces/LLVM.h"

namespace mpc::graph {

class ForwardPart {
public:
  /// Of `step`, whose results include those of the entry `forward`: the loss,
  /// and outputs that go by the same names.
  ForwardPart(mlir::func::FuncOp step, mlir::func::FuncOp forward);

  bool contains(Operation *op) const { return ops.contains(op); }
  /// Whether `value` is made by the forward from something: no argument, no
  /// constant.
  bool isMade(Value value) const {
    Operation *maker = value.getDefiningOp();
    return maker && contains(maker) && maker->getNumOperands() != 0;
  }
  /// Whether an op of the backward, or of the update, reads `value`.
  bool isKept(Value value) const;

private:
  DenseSet<Operation *> ops;
};

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_ANALYSIS_MEMORY_FORWARDPART_H
