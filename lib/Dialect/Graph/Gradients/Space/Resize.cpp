// Family Resize: gradient rules. Each is linear, and keeps nothing.
#include "mpc/Dialect/Graph/IR/Ops/Space/Resize.h"
#include "../Rule.h"

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::gradient;

/// The transpose of `op`: where elements lie is said as there.
template <typename Op>
static ResizeGradientOp buildGradient(Op op, GradientBuilder &g) {
  ArrayRef<int64_t> shape = op.getInput().getType().getShape();
  ArrayRef<int64_t> space = spaceOf(shape, op.getChannelsLast());
  mlir::ImplicitLocOpBuilder &b = g.builder();
  mlir::UnitAttr no;
  auto gradient = ResizeGradientOp::create(
      b, g.cotangent(0), b.getDenseI64ArrayAttr(space), op.getScalesAttr(),
      op.getAlignCornersAttr(), op.getAsymmetricAttr(),
      op.getPytorchHalfPixelAttr(), /*linear=*/no, /*cubic=*/no,
      b.getF64FloatAttr(-0.75), /*floor=*/no, /*ceil=*/no, /*prefer_ceil=*/no,
      op.getChannelsLastAttr());
  g.set(0, gradient);
  return gradient;
}

// dx[i] = sum of weight * dy of the elements that are made of i
LogicalResult ResizeNearestOp::buildVjp(GradientBuilder &g) {
  ResizeGradientOp gradient = buildGradient(*this, g);
  gradient.setFloor(getFloor());
  gradient.setCeil(getCeil());
  gradient.setPreferCeil(getPreferCeil());
  return success();
}
LogicalResult ResizeLinearOp::buildVjp(GradientBuilder &g) {
  buildGradient(*this, g).setLinear(true);
  return success();
}
LogicalResult ResizeCubicOp::buildVjp(GradientBuilder &g) {
  ResizeGradientOp gradient = buildGradient(*this, g);
  gradient.setCubic(true);
  gradient.setCoefficientAttr(getCoefficientAttr());
  return success();
}

// dcotangent = dy, resized
LogicalResult ResizeGradientOp::buildVjp(GradientBuilder &g) {
  ArrayRef<int64_t> shape = getCotangent().getType().getShape();
  mlir::ImplicitLocOpBuilder &b = g.builder();
  auto sizes = b.getDenseI64ArrayAttr(spaceOf(shape, getChannelsLast()));
  Value dy = g.cotangent(0);
  if (getLinear())
    g.set(0, ResizeLinearOp::create(b, dy, sizes, getScalesAttr(),
                                    getAlignCornersAttr(), getAsymmetricAttr(),
                                    getPytorchHalfPixelAttr(),
                                    getChannelsLastAttr()));
  else if (getCubic())
    g.set(0, ResizeCubicOp::create(
                 b, dy, sizes, getScalesAttr(), getAlignCornersAttr(),
                 getAsymmetricAttr(), getPytorchHalfPixelAttr(),
                 getCoefficientAttr(), getChannelsLastAttr()));
  else
    g.set(0, ResizeNearestOp::create(
                 b, dy, sizes, getScalesAttr(), getAlignCornersAttr(),
                 getAsymmetricAttr(), getPytorchHalfPixelAttr(), getFloorAttr(),
                 getCeilAttr(), getPreferCeilAttr(), getChannelsLastAttr()));
  return success();
}

// dx = dy, moved back
LogicalResult PixelShuffleOp::buildVjp(GradientBuilder &g) {
  g.set(0, PixelUnshuffleOp::create(g.builder(), cotangent(g), getFactor(),
                                    getBlocksFirst(), getChannelsLast()));
  return success();
}
LogicalResult PixelUnshuffleOp::buildVjp(GradientBuilder &g) {
  g.set(0, PixelShuffleOp::create(g.builder(), cotangent(g), getFactor(),
                                  getBlocksFirst(), getChannelsLast()));
  return success();
}
