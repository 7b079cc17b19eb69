// What happened to each value of a step on the way from the seed: scaled,
// reduced, unscaled. The gates of the training stages ask it.
#ifndef MPC_LIB_DIALECT_GRAPH_TRANSFORMS_STEPFLOW_H
#define MPC_LIB_DIALECT_GRAPH_TRANSFORMS_STEPFLOW_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mpc/Dialect/Graph/IR/Ops/Step/Collective.h"
#include "mpc/Dialect/Graph/IR/Ops/Step/LossScale.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mpc::graph {

/// A forward walk over the body in order; a value has a property if one of the
/// operands of its op has it. `unscale` ends being scaled.
class StepFlow {
public:
  explicit StepFlow(mlir::func::FuncOp func);

  /// By what `value` is multiplied and not divided yet, or null.
  Value scaleOf(Value value) const { return facts.lookup(value).scale; }
  /// Another scale that reaches `value`, too, or null: it can be unscaled by
  /// neither.
  Value otherScaleOf(Value value) const {
    return facts.lookup(value).otherScale;
  }
  /// The scale whose path to `value` passes no unscale, or null.
  Operation *scaledAt(Value value) const {
    return facts.lookup(value).scaledAt;
  }
  /// An unscale that `value` depends on, or null.
  Operation *unscaledAt(Value value) const {
    return facts.lookup(value).unscaledAt;
  }
  /// Every unscale that `value` depends on.
  SmallVector<UnscaleOp> unscalesOf(Value value) const;
  /// An optimizer whose result `value` depends on, or null.
  Operation *steppedAt(Value value) const {
    return facts.lookup(value).steppedAt;
  }
  /// An all-reduce that `value` depends on, or null.
  Operation *reducedAt(Value value) const {
    return facts.lookup(value).reducedAt;
  }
  /// Whether `value` depends on the found_inf of an unscale.
  bool dependsOnCheck(Value value) const {
    return facts.lookup(value).isChecked;
  }

  SmallVector<ScaleOp> scales;
  SmallVector<UnscaleOp> unscales;
  SmallVector<AllReduceOp> reductions;

private:
  struct Facts {
    Value scale, otherScale;
    Operation *scaledAt = nullptr, *unscaledAt = nullptr, *steppedAt = nullptr,
              *reducedAt = nullptr;
    bool isChecked = false;
    llvm::SmallBitVector unscales; ///< By index in `unscales`.
    void join(const Facts &operand);
  };

  void visit(Operation &op);
  /// Each result depends on its own input only.
  void visit(AllReduceOp reduce);

  DenseMap<Value, Facts> facts;
};

/// Whether `value` is an argument that holds a loss scale.
bool isScaleArgument(mlir::func::FuncOp func, Value value);

/// Whether `value` is a constant of zeros, which no scale changes.
bool isZero(Value value);

/// Where to complain about `value`: the op that made it, or the function.
Location locationOf(Value value, mlir::func::FuncOp func);

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_TRANSFORMS_STEPFLOW_H
