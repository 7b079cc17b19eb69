// Family Resize: gradient rules. Each is linear, and keeps nothing.
#include "mpc/Dialect/Graph/IR/Ops/Space/Resize.h"
#include "../Rule.h"

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::gradient;

/// What comes to each element from all that are made of it. The dims that
/// shrink on the way back come first.
template <typename Op>
static LogicalResult giveBack(Op op, GradientBuilder &g) {
  Expr dx = widened(cotangent(g));
  SmallVector<Taps> taps = op.getTaps();
  for (bool shrinks : {true, false})
    for (auto [dim, map] : llvm::enumerate(taps))
      if ((map.size < static_cast<int64_t>(map.results.size())) == shrinks)
        dx = map.transpose().apply(
            dx, op.firstSpaceDim() + static_cast<int64_t>(dim),
            dx.elementType(), /*reason=*/StringAttr());
  g.set(0, dx);
  return success();
}

// dx[i] = sum of the dy that are copies of i
LogicalResult ResizeNearestOp::buildVjp(GradientBuilder &g) {
  Expr dy = widened(cotangent(g));
  std::optional<WindowShape> copies =
      asWindow(getInput().getType().getShape(), firstSpaceDim(), getTaps());
  if (!copies)
    return giveBack(*this, g);
  g.set(0, seeBack(dy, *copies, getInput().getType().getShape()));
  return success();
}

// dx[i] = sum of weight * dy of the elements that are made of i
LogicalResult ResizeLinearOp::buildVjp(GradientBuilder &g) {
  return giveBack(*this, g);
}
LogicalResult ResizeCubicOp::buildVjp(GradientBuilder &g) {
  return giveBack(*this, g);
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
