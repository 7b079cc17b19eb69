// Family Convolution: gradient rules. With input x, weight w and result y, each
// op makes one of the three from the other two, and each is linear in both:
//   y = conv(x, w)    dx = transposed(dy, w)    dw = weight(x, dy)
//   x = transposed(y, w)    dy = conv(dx, w)    dw = weight(dx, y)
//   w = weight(x, y)    dx = transposed(y, dw)    dy = conv(x, dw)
// The cotangent of a bias is that of the result, summed for each channel.
#include "mpc/Dialect/Graph/IR/Ops/Space/Convolution.h"
#include "Bias.h"
#include "Rule.h"

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::gradient;

namespace {
/// Builds the other ops with the windows of one.
class Windows {
public:
  Windows(mlir::ImplicitLocOpBuilder &builder,
          const ConvolutionWindows &windows)
      : b(builder), windows(windows) {}

  Value convolve(Value input, Value weight) const {
    return ConvolutionOp::create(
        b, input, weight, /*bias=*/Value(), /*same=*/false,
        numbers(windows.strides, 1), numbers(windows.low, 0),
        numbers(windows.high, 0), numbers(windows.dilations, 1), groups(),
        windows.channelsLast, mlir::TypeAttr());
  }
  /// The input, like `like`.
  Value transpose(Value result, Value weight, Value like) const {
    ArrayRef<int64_t> sizes = windows.spaceOf(shapeOf(like));
    return TransposedConvolutionOp::create(
        b, result, weight, /*bias=*/Value(), b.getDenseI64ArrayAttr(sizes),
        numbers(windows.strides, 1), numbers(windows.low, 0),
        numbers(windows.high, 0), numbers(windows.dilations, 1), groups(),
        windows.channelsLast, mlir::TypeAttr());
  }
  /// The weight, like `like`.
  Value correlate(Value input, Value result, Value like) const {
    ArrayRef<int64_t> kernel = windows.spaceOf(shapeOf(like));
    return ConvolutionWeightGradientOp::create(
        b, input, result, b.getDenseI64ArrayAttr(kernel),
        numbers(windows.strides, 1), numbers(windows.low, 0),
        numbers(windows.high, 0), numbers(windows.dilations, 1), groups(),
        windows.channelsLast, mlir::TypeAttr());
  }

private:
  static ArrayRef<int64_t> shapeOf(Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getShape();
  }
  /// Nothing where all are `usual`, as who writes by hand would have it.
  mlir::DenseI64ArrayAttr numbers(ArrayRef<int64_t> all, int64_t usual) const {
    bool isUsual =
        llvm::all_of(all, [&](int64_t number) { return number == usual; });
    return isUsual ? mlir::DenseI64ArrayAttr() : b.getDenseI64ArrayAttr(all);
  }
  mlir::IntegerAttr groups() const {
    return windows.groups == 1 ? mlir::IntegerAttr()
                               : b.getI64IntegerAttr(windows.groups);
  }

  mlir::ImplicitLocOpBuilder &b;
  const ConvolutionWindows &windows;
};

/// The cotangent in the type that the forward computed in.
template <typename Op> Expr cotangentOf(GradientBuilder &g, Op op) {
  return computedIn(cotangent(g),
                    mlir::getElementTypeOrSelf(op->getOperand(0)));
}
} // namespace

LogicalResult ConvolutionOp::buildVjp(GradientBuilder &g) {
  ConvolutionWindows windows = getWindows();
  Windows build(g.builder(), windows);
  if (getBias())
    setBiasCotangent(g, getBias(), windows.channelDim());
  Expr dy = cotangentOf(g, *this);
  if (g.needs(0))
    g.set(0, build.transpose(dy, g.operand(1), getInput()));
  if (g.needs(1))
    g.set(1, build.correlate(g.operand(0), dy, getWeight()));
  return success();
}

LogicalResult TransposedConvolutionOp::buildVjp(GradientBuilder &g) {
  ConvolutionWindows windows = getWindows();
  Windows build(g.builder(), windows);
  if (getBias())
    setBiasCotangent(g, getBias(), windows.channelDim());
  Expr dx = cotangentOf(g, *this);
  if (g.needs(0))
    g.set(0, build.convolve(dx, g.operand(1)));
  if (g.needs(1))
    g.set(1, build.correlate(dx, g.operand(0), getWeight()));
  return success();
}

LogicalResult ConvolutionWeightGradientOp::buildVjp(GradientBuilder &g) {
  ConvolutionWindows windows = getWindows();
  Windows build(g.builder(), windows);
  Expr dw = cotangentOf(g, *this);
  if (g.needs(0))
    g.set(0, build.transpose(g.operand(1), dw, getInput()));
  if (g.needs(1))
    g.set(1, build.convolve(g.operand(0), dw));
  return success();
}
