// Family Convolution: formulas.
#include "mpc/Dialect/Graph/IR/Ops/Space/Convolution.h"
#include "Decomposition.h"
#include "mpc/Interfaces/Target.h"

using namespace mpc;
using namespace mpc::graph;

namespace {
/// Libraries yield the operands' type, or, some, the one that they accumulate
/// in.
bool isRounded(Operation *op) {
  Type operand = elementOf(op->getOperand(0)),
       result = elementOf(op->getResult(0));
  bool isWide = result == getComputeType(operand);
  return result != operand && !(isWide && getTarget(op).hasWideConvolutions);
}

/// What is accumulated, rounded. Where no library yields it from 16 bits, one
/// does from the same numbers in 32.
template <typename Op>
SmallVector<Value> round(Op op, mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, op);
  Type compute = getComputeType(elementOf(op->getOperand(0)));
  SmallVector<Value> operands(op->getOperands());
  if (!getTarget(op).hasWideConvolutions)
    for (Value &operand : operands)
      operand = d.wide(operand);
  auto wide = cast<Op>(builder.clone(*op));
  wide->setOperands(operands);
  wide.setDtype(compute);
  wide.getResult().setType(wide.getResult().getType().clone(compute));
  return {d.castTo(wide.getResult(), elementOf(op.getResult()))};
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
