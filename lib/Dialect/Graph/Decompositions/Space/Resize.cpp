// Family Resize: elements picked and added up dim by dim, and dims moved.
#include "mpc/Dialect/Graph/IR/Ops/Space/Resize.h"
#include "../Decomposition.h"

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::expr;

SmallVector<Value>
ResizeNearestOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  return {pickAll(d(getInput()), firstSpaceDim(), getTaps())};
}

/// The dims that shrink first: less is left for the others.
template <typename Op>
static Value addUp(Op op, ArrayRef<Taps> maps,
                   mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, op);
  Expr x = d(op->getOperand(0));
  Type element = elementOf(op.getResult());
  for (bool shrinks : {true, false})
    for (auto [dim, map] : llvm::enumerate(maps))
      if ((map.size > static_cast<int64_t>(map.results.size())) == shrinks)
        x = map.apply(x, op.firstSpaceDim() + static_cast<int64_t>(dim),
                      getComputeType(element), d.getReason());
  return d.castTo(x, element);
}

SmallVector<Value>
ResizeLinearOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  return {addUp(*this, getTaps(), builder)};
}
SmallVector<Value>
ResizeCubicOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  return {addUp(*this, getTaps(), builder)};
}

/// Copies of elements in few places are added in one expression.
SmallVector<Value>
ResizeGradientOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  constexpr int64_t kMostCopies = 16;
  Decomposition d(builder, *this);
  SmallVector<Taps> maps = getTaps();
  ArrayRef<int64_t> sizes = getType().getShape();
  std::optional<WindowShape> copies;
  if (!getLinear() && !getCubic())
    copies = asWindow(sizes, firstSpaceDim(), maps);
  int64_t count = 1;
  if (copies)
    for (int64_t spread : copies->spread)
      count *= std::min(spread, kMostCopies + 1);
  if (copies && count <= kMostCopies) {
    Expr dx = seeBack(d(getCotangent()), *copies, sizes,
                      [&](Expr seen) { return d.wide(seen); });
    return {d.castTo(dx, elementOf(getResult()))};
  }
  for (Taps &map : maps)
    map = map.transpose();
  return {addUp(*this, maps, builder)};
}

//===-- Blocks of space ---------------------------------------------------===//

namespace {
/// How a tensor [batch, channels, space...] lies beside blocks: with dims of
/// its own for the channels (c), for the places in a block (b) and for the
/// blocks (p).
struct Blocks {
  Blocks(ArrayRef<int64_t> small, int64_t factor, bool blocksFirst,
         bool channelsLast) {
    auto space = static_cast<int64_t>(small.size()) - 2;
    int64_t channel = channelsLast ? space + 1 : 1;
    int64_t first = channelsLast ? 1 : 2;
    // Both as [batch, c, b..., p...], or [batch, c, (p, b)...].
    SmallVector<int64_t> b, p;
    for (int64_t dim = 0; dim < space; ++dim) {
      b.push_back(2 + dim);
      p.push_back(2 + space + dim);
    }
    sizes = {small[0], small[channel]};
    sizes.append(space, factor);
    llvm::append_range(sizes, small.slice(first, space));
    SmallVector<int64_t> channels = {1};
    channels.insert(blocksFirst ? channels.begin() : channels.end(), b.begin(),
                    b.end());
    for (int64_t dim = 0; dim < space; ++dim)
      spaced.append({p[dim], b[dim]});
    deep.push_back(0);
    SmallVector<int64_t> wide = {0};
    llvm::append_range(deep, channelsLast ? p : channels);
    llvm::append_range(deep, channelsLast ? channels : p);
    if (!channelsLast)
      wide.push_back(1);
    llvm::append_range(wide, spaced);
    if (channelsLast)
      wide.push_back(1);
    spaced = wide;
  }

  /// `x`, whose dims are those of `from`, with those of `to`, as `shape`.
  Expr move(Expr x, ArrayRef<int64_t> from, ArrayRef<int64_t> to,
            ArrayRef<int64_t> shape) const {
    SmallVector<int64_t> split, permutation;
    for (int64_t dim : from)
      split.push_back(sizes[dim]);
    for (int64_t dim : to)
      permutation.push_back(llvm::find(from, dim) - from.begin());
    return reshape(transpose(reshape(x, split), permutation), shape);
  }

  SmallVector<int64_t> sizes; ///< Of c, b and p.
  SmallVector<int64_t> deep,
      spaced; ///< Where they stand: in channels, in space.
};
} // namespace

SmallVector<Value>
PixelShuffleOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Expr x = d(getInput());
  ArrayRef<int64_t> shape = getType().getShape();
  // Of the channels of the result, and the space of the input.
  SmallVector<int64_t> small(x.shape());
  int64_t channel = channelDimOf(small.size(), getChannelsLast());
  small[channel] = shape[channel];
  Blocks blocks(small, static_cast<int64_t>(getFactor()), getBlocksFirst(),
                getChannelsLast());
  return {blocks.move(x, blocks.deep, blocks.spaced, shape)};
}

SmallVector<Value>
PixelUnshuffleOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Expr x = d(getInput());
  ArrayRef<int64_t> shape = getType().getShape();
  SmallVector<int64_t> small(shape);
  int64_t channel = channelDimOf(small.size(), getChannelsLast());
  small[channel] = x.shape()[channel];
  Blocks blocks(small, static_cast<int64_t>(getFactor()), getBlocksFirst(),
                getChannelsLast());
  return {blocks.move(x, blocks.spaced, blocks.deep, shape)};
}
