// Family Convolution: formulas.
#include "mpc/Dialect/Graph/IR/Ops/Space/Convolution.h"
#include "Decomposition.h"
#include "mpc/Dialect/Graph/IR/Ops/Contraction.h"
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
/// Whether each window is the channels of one place, one after the other: then
/// the convolution is a product of [places, channels].
template <typename Op> bool isPointwise(Op op) {
  ConvolutionWindows windows = op.getWindows();
  auto space = [&](Value tensor) {
    auto type = cast<RankedTensorType>(tensor.getType());
    return SmallVector<int64_t>(windows.spaceOf(type.getShape()));
  };
  constexpr bool isGradient = std::is_same_v<Op, ConvolutionWeightGradientOp>;
  Value other = isGradient ? op->getOperand(1) : op->getResult(0);
  auto all = [](ArrayRef<int64_t> numbers, int64_t wanted) {
    return llvm::all_of(numbers,
                        [=](int64_t number) { return number == wanted; });
  };
  // As many windows as places, one beside the other: the kernel is one element.
  return windows.channelsLast && windows.groups == 1 &&
         all(windows.strides, 1) && all(windows.low, 0) &&
         all(windows.high, 0) && space(op->getOperand(0)) == space(other);
}

template <typename Op> bool isMadeOfOthers(Op op) {
  return isPointwise(op) || isRounded(op);
}

/// Builds the product that a pointwise convolution is. oneDNN has faster ones
/// for products than for such convolutions, and what stands behind a product
/// becomes a part of it.
class Product {
public:
  template <typename Op>
  Product(Op op, mlir::ImplicitLocOpBuilder &builder)
      : d(builder, op), b(builder), dtype(op.getDtypeAttr()),
        result(op.getType()) {}

  /// The product of two tensors as matrices with their last dim as columns.
  SmallVector<Value> of(Value lhs, bool transposeLhs, Value rhs,
                        bool transposeRhs) const {
    Value product = MatmulOp::create(b, asMatrix(lhs), asMatrix(rhs),
                                     transposeLhs, transposeRhs, dtype);
    return {expr::reshape(d(product), result.getShape())};
  }

private:
  Expr asMatrix(Value tensor) const {
    Expr x = d(tensor);
    int64_t columns = x.shape().back();
    return expr::reshape(x, {x.numElements() / columns, columns});
  }

  Decomposition d;
  mlir::ImplicitLocOpBuilder &b;
  mlir::TypeAttr dtype;
  RankedTensorType result;
};
} // namespace

bool ConvolutionOp::isComposite() { return isMadeOfOthers(*this); }
bool TransposedConvolutionOp::isComposite() { return isMadeOfOthers(*this); }
bool ConvolutionWeightGradientOp::isComposite() {
  return isMadeOfOthers(*this);
}

/// [places, C] x [O, C]^T
SmallVector<Value>
ConvolutionOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  if (isPointwise(*this))
    return Product(*this, builder).of(getInput(), false, getWeight(), true);
  return round(*this, builder);
}
/// [places, O] x [O, C]
SmallVector<Value>
TransposedConvolutionOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  if (isPointwise(*this))
    return Product(*this, builder).of(getInput(), false, getWeight(), false);
  return round(*this, builder);
}
/// [places, O]^T x [places, C]
SmallVector<Value>
ConvolutionWeightGradientOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  if (isPointwise(*this))
    return Product(*this, builder).of(getCotangent(), true, getInput(), false);
  return round(*this, builder);
}
