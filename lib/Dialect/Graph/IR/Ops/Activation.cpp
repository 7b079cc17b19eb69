// Family Activation: verifiers.
#include "mpc/Dialect/Graph/IR/Ops/Activation.h"
#include "mpc/Dialect/Graph/Settings/Real.h"

using namespace mpc;
using namespace mpc::graph;

/// Whether `number` is one in the type that `op` computes in.
template <typename Op> static bool isHeld(Op op, const llvm::APFloat &number) {
  Type compute = getComputeType(op.getInput().getType().getElementType());
  return isHeldBy(number, cast<FloatType>(compute).getFloatSemantics());
}

/// C2 of them all.
template <typename Op>
static LogicalResult verifyNumber(Op op, StringRef name, mlir::FloatAttr number,
                                  bool isPositive) {
  if (isHeld(op, number.getValue()) &&
      (!isPositive || number.getValueAsDouble() > 0))
    return success();
  return op.emitOpError("expected a finite ")
         << name << (isPositive ? " greater than 0" : "")
         << ", in the range of "
         << getComputeType(op.getInput().getType().getElementType())
         << ", but got " << number;
}

LogicalResult LeakyReluOp::verify() {
  return verifyNumber(*this, "negative_slope", getNegativeSlopeAttr(), false);
}
LogicalResult EluOp::verify() {
  return verifyNumber(*this, "alpha", getAlphaAttr(), false);
}
LogicalResult SoftplusOp::verify() {
  return verifyNumber(*this, "beta", getBetaAttr(), true);
}
