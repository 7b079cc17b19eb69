// What happened to each value of a step on the way from the seed: scaled,
// reduced, unscaled. The gates of the training stages ask it.
#ifndef MPC_LIB_DIALECT_GRAPH_TRANSFORMS_GATES_STEPFLOW_H
#define MPC_LIB_DIALECT_GRAPH_TRANSFORMS_GATES_STEPFLOW_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mpc/Dialect/Graph/IR/GraphOps.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mpc::graph {

/// A forward walk over the body in order; a value has a property if one of the
/// operands of its op has it. `unscale` ends being scaled.
class StepFlow {
public:
  explicit StepFlow(mlir::func::FuncOp func);

  /// The scale whose path to `value` passes no unscale, or null.
  Operation *scaledAt(Value value) const { return scaled.lookup(value); }
  /// An unscale that `value` depends on, or null.
  Operation *unscaledAt(Value value) const { return unscaled.lookup(value); }
  /// Every unscale that `value` depends on.
  SmallVector<UnscaleOp> unscalesOf(Value value) const;
  /// An optimizer whose result `value` depends on, or null.
  Operation *steppedAt(Value value) const { return stepped.lookup(value); }
  /// An all-reduce that `value` depends on, or null.
  Operation *reducedAt(Value value) const { return reduced.lookup(value); }
  /// Whether `value` depends on the found_inf of an unscale.
  bool dependsOnCheck(Value value) const { return checked.contains(value); }

  SmallVector<ScaleOp> scales;
  SmallVector<UnscaleOp> unscales;
  SmallVector<AllReduceOp> reductions;

private:
  void visit(Operation &op);

  DenseMap<Value, Operation *> scaled, unscaled, stepped, reduced;
  /// By index in `unscales`.
  DenseMap<Value, llvm::SmallBitVector> unscalesOfValue;
  DenseSet<Value> checked;
};

/// Where to complain about `value`: the op that made it, or the function.
Location locationOf(Value value, mlir::func::FuncOp func);

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_TRANSFORMS_GATES_STEPFLOW_H
