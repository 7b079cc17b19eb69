// Checks that optimizers on one tensor and on lists have in common. Private to
// this room.
#ifndef MPC_LIB_DIALECT_GRAPH_IR_OPS_STEP_OPTIMIZERCHECKS_H
#define MPC_LIB_DIALECT_GRAPH_IR_OPS_STEP_OPTIMIZERCHECKS_H

#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"

namespace mpc::graph {

inline bool isFiniteNotNegative(const llvm::APFloat &value) {
  return value.isFinite() && !(value.isNegative() && value.isNonZero());
}

inline LogicalResult verifyNotNegative(Operation *op, mlir::FloatAttr attr,
                                       StringRef name) {
  if (isFiniteNotNegative(attr.getValue()))
    return success();
  return op->emitOpError("expected a finite ")
         << name << " >= 0, but got " << attr;
}

/// Momentum, Nesterov and weight decay of SGD.
template <typename Op> LogicalResult verifySgd(Op op, bool hasBuffer) {
  if (!isFiniteNotNegative(op.getMomentum()) ||
      hasBuffer != op.getMomentum().isNonZero())
    return op.emitOpError("expected a finite momentum, > 0 with a buffer and 0 "
                          "without, but got ")
           << op.getMomentumAttr() << (hasBuffer ? " with" : " without")
           << " a buffer";
  if (op.getNesterov() && !hasBuffer)
    return op.emitOpError("expected a momentum buffer with nesterov");
  return verifyNotNegative(op, op.getWeightDecayAttr(), "weight_decay");
}

/// The hyperparameters of Adam and its like.
template <typename Op> LogicalResult verifyAdam(Op op) {
  for (auto [beta, name] : {std::pair(op.getBeta1Attr(), "beta1"),
                            std::pair(op.getBeta2Attr(), "beta2")})
    if (double value = beta.getValueAsDouble(); !(value >= 0 && value < 1))
      return op.emitOpError("expected ")
             << name << " in [0, 1), but got " << beta;
  for (auto [attr, name] : {std::pair(op.getEpsilonAttr(), "epsilon"),
                            std::pair(op.getWeightDecayAttr(), "weight_decay")})
    if (failed(verifyNotNegative(op, attr, name)))
      return failure();
  return success();
}

} // namespace mpc::graph

#endif // MPC_LIB_DIALECT_GRAPH_IR_OPS_STEP_OPTIMIZERCHECKS_H
