// Family Convolution: formulas.
#include "mpc/Dialect/Graph/IR/Ops/Space/Convolution.h"
#include "Decomposition.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mpc/Dialect/Graph/IR/Ops/Contraction.h"
#include "mpc/Dialect/Graph/IR/TrainingAttrs.h"
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
SmallVector<int64_t> shapeOf(Value tensor) {
  return SmallVector<int64_t>(
      cast<RankedTensorType>(tensor.getType()).getShape());
}

/// What `op`, which was made for another, is made of in turn.
template <typename Op>
Value settle(Op op, mlir::ImplicitLocOpBuilder &builder) {
  if (!op.isComposite())
    return op.getResult();
  Value made = op.decompose(builder).front();
  op.erase();
  return made;
}

/// The sum of what is accumulated and the bias, rounded, where no library adds
/// it. What is accumulated is rounded to f16 or bf16 before where a wider
/// result would be that of a slower convolution, unless each op is to round
/// once.
template <typename Op>
SmallVector<Value> addBias(Op op, mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, op);
  Type operand = elementOf(op.getInput()), result = elementOf(op.getResult());
  auto function = op->template getParentOfType<mlir::func::FuncOp>();
  bool isStrict = function && roundsStrictly(function);
  bool isNarrow = result == operand && elementOf(op.getBias()) == operand &&
                  !isStrict && !getTarget(op).hasWideConvolutions;
  Type element = isNarrow ? operand : getComputeType(operand);
  auto bare = cast<Op>(builder.clone(*op));
  bare.getBiasMutable().clear();
  bare.setDtypeAttr(element == operand ? mlir::TypeAttr()
                                       : mlir::TypeAttr::get(element));
  bare.getResult().setType(op.getResult().getType().clone(element));
  Expr product = d(settle(bare, builder));
  Expr bias = d.castTo(op.getBias(), element);
  if (!op.getChannelsLast()) { // else it has the last dim
    SmallVector<int64_t> shape(product.rank() - 1, 1);
    shape.front() = bias.numElements();
    bias = expr::reshape(bias, shape);
  }
  return {d.castTo(product + bias, result)};
}

/// Whether each window is the channels of one place: then the convolution is a
/// product of [places, channels], with those places that windows are at.
/// `seen` is the tensor that windows see, `seeing` the one with an element of
/// each window.
bool isPointwise(const ConvolutionWindows &windows, Value seen, Value seeing,
                 Value weight) {
  auto all = [](ArrayRef<int64_t> numbers, int64_t wanted) {
    return llvm::all_of(numbers,
                        [=](int64_t number) { return number == wanted; });
  };
  if (!windows.channelsLast || windows.groups != 1 || !all(windows.low, 0) ||
      !all(windows.spaceOf(shapeOf(weight)), 1))
    return false;
  SmallVector<int64_t> places = shapeOf(seen), wanted = shapeOf(seeing);
  return llvm::all_of(llvm::zip(windows.spaceOf(places),
                                windows.spaceOf(wanted), windows.strides),
                      [](auto dim) {
                        auto [size, count, stride] = dim;
                        return (count - 1) * stride < size;
                      });
}
bool isPointwise(ConvolutionOp op) {
  return isPointwise(op.getWindows(), op.getInput(), op.getResult(),
                     op.getWeight());
}
bool isPointwise(TransposedConvolutionOp op) {
  return isPointwise(op.getWindows(), op.getResult(), op.getInput(),
                     op.getWeight());
}
bool isPointwise(ConvolutionWeightGradientOp op) {
  return isPointwise(op.getWindows(), op.getInput(), op.getCotangent(),
                     op.getResult());
}

template <typename Op> bool isMadeOfOthers(Op op) {
  return isPointwise(op) || isRounded(op);
}

/// Whether windows are at all places of `seen`.
bool areAtAllPlaces(const ConvolutionWindows &windows, Value seen,
                    Value seeing) {
  SmallVector<int64_t> places = shapeOf(seen), wanted = shapeOf(seeing);
  return windows.spaceOf(places) == windows.spaceOf(wanted);
}

/// Builds the product that a pointwise convolution is. oneDNN has faster ones
/// for products than for such convolutions, and what stands behind a product
/// becomes a part of it.
class Product {
public:
  template <typename Op>
  Product(Op op, mlir::ImplicitLocOpBuilder &builder)
      : d(builder, op), b(builder), windows(op.getWindows()),
        dtype(op.getDtypeAttr()) {}

  /// The product of two tensors as matrices with their last dim as columns, in
  /// `shape`, with a bias for each column if there is one.
  Expr of(Value lhs, bool transposeLhs, Value rhs, bool transposeRhs,
          ArrayRef<int64_t> shape, Value bias = {}) const {
    auto product = MatmulOp::create(b, asMatrix(lhs), asMatrix(rhs), bias,
                                    transposeLhs, transposeRhs, dtype);
    return expr::reshape(d(settle(product, b)), shape);
  }
  /// The places of `input` that windows are at, of which there are those of
  /// `seeing`.
  Expr see(Value input, Value seeing) const {
    Expr x = d(input);
    SmallVector<int64_t> sizes = getSeenShape(input, seeing);
    if (x.shape() == ArrayRef(sizes))
      return x;
    SmallVector<int64_t> offsets(sizes.size(), 0);
    return expr::slice(x, offsets, sizes, getSteps());
  }
  /// `y` at the places of `input` that windows are at, and zeros at others.
  Expr seeBack(Expr y, Value input) const {
    SmallVector<int64_t> sizes = shapeOf(input);
    if (y.shape() == ArrayRef(sizes))
      return y;
    return expr::window(y, {.offsets = SmallVector<int64_t>(sizes.size(), 0),
                            .sizes = sizes,
                            .spread = getSteps()});
  }
  SmallVector<int64_t> getSeenShape(Value input, Value seeing) const {
    SmallVector<int64_t> shape = shapeOf(input);
    llvm::copy(windows.spaceOf(shapeOf(seeing)),
               shape.begin() + windows.firstSpaceDim());
    return shape;
  }

private:
  SmallVector<int64_t> getSteps() const {
    SmallVector<int64_t> steps(windows.rank() + 2, 1);
    llvm::copy(windows.strides, steps.begin() + windows.firstSpaceDim());
    return steps;
  }
  Expr asMatrix(Value tensor) const {
    Expr x = d(tensor);
    int64_t columns = x.shape().back();
    return expr::reshape(x, {x.numElements() / columns, columns});
  }

  Decomposition d;
  mlir::ImplicitLocOpBuilder &b;
  ConvolutionWindows windows;
  mlir::TypeAttr dtype;
};
} // namespace

/// Of an operand of a convolution.
static DType getDType(Type element) {
  return element.isF16()    ? DType::F16
         : element.isBF16() ? DType::BF16
         : element.isF32()  ? DType::F32
                            : DType::F64;
}

/// Whether there is a bias that the library does not add.
static bool hasBiasBehind(ConvolutionOp op) {
  if (!op.getBias())
    return false;
  const TargetDescription &target = getTarget(op);
  Type element = elementOf(op.getInput());
  bool isOne = elementOf(op.getBias()) == element &&
               elementOf(op.getResult()) == element;
  return !target.convolvesWithBias(getDType(element)) ||
         !(isOne || target.mixesBiasedTypes);
}

bool ConvolutionOp::isComposite() {
  return hasBiasBehind(*this) || isMadeOfOthers(*this);
}
bool TransposedConvolutionOp::isComposite() {
  return getBias() || isMadeOfOthers(*this);
}
bool ConvolutionWeightGradientOp::isComposite() {
  return isMadeOfOthers(*this);
}

/// [places, C] x [O, C]^T, of the places that windows are at
SmallVector<Value>
ConvolutionOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  if (!isPointwise(*this))
    return hasBiasBehind(*this) ? addBias(*this, builder)
                                : round(*this, builder);
  Product product(*this, builder);
  Expr x = product.see(getInput(), getResult());
  return {
      product.of(x, false, getWeight(), true, shapeOf(getResult()), getBias())};
}
/// [places, O] x [O, C], with zeros where no window is
SmallVector<Value>
TransposedConvolutionOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  // Where no window is there is the bias alone.
  bool isAtAll = areAtAllPlaces(getWindows(), getResult(), getInput());
  if (getBias() && (!isPointwise(*this) || !isAtAll))
    return addBias(*this, builder);
  if (!isPointwise(*this))
    return round(*this, builder);
  Product product(*this, builder);
  Expr seen =
      product.of(getInput(), false, getWeight(), false,
                 product.getSeenShape(getResult(), getInput()), getBias());
  return {product.seeBack(seen, getResult())};
}
/// [places, O]^T x [places, C]
SmallVector<Value>
ConvolutionWeightGradientOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  if (!isPointwise(*this))
    return round(*this, builder);
  Product product(*this, builder);
  Expr x = product.see(getInput(), getCotangent());
  return {product.of(getCotangent(), true, x, false, shapeOf(getResult()))};
}
