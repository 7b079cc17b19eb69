// Family Convolution: formulas.
#include "mpc/Dialect/Graph/IR/Ops/Space/Convolution.h"
#include "Decomposition.h"

using namespace mpc;
using namespace mpc::graph;

namespace {
/// Libraries yield the operands' type, or the one that they accumulate in.
bool isRounded(Operation *op) {
  Type operand = mlir::getElementTypeOrSelf(op->getOperand(0)),
       result = mlir::getElementTypeOrSelf(op->getResult(0));
  return result != operand && result != getComputeType(operand);
}

/// What is accumulated, rounded.
template <typename Op>
SmallVector<Value> round(Op op, mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, op);
  auto wide = cast<Op>(builder.clone(*op));
  Type compute = getComputeType(mlir::getElementTypeOrSelf(op->getOperand(0)));
  wide.setDtype(compute);
  wide.getResult().setType(wide.getResult().getType().clone(compute));
  return {
      d.castTo(wide.getResult(), mlir::getElementTypeOrSelf(op.getResult()))};
}
} // namespace

bool ConvolutionOp::isComposite() { return isRounded(*this); }
bool TransposedConvolutionOp::isComposite() { return isRounded(*this); }
bool ConvolutionWeightGradientOp::isComposite() { return isRounded(*this); }

SmallVector<Value>
ConvolutionOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  return round(*this, builder);
}
SmallVector<Value>
TransposedConvolutionOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  return round(*this, builder);
}
SmallVector<Value>
ConvolutionWeightGradientOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  return round(*this, builder);
}
