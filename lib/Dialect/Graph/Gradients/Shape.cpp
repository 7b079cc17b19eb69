// Family Shape: gradient rules. None keeps a value.
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"
#include "Rule.h"
#include "mpc/Dialect/Graph/IR/Ops/Indexing.h"

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::gradient;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

// dx = dy in the shape of x
LogicalResult ReshapeOp::buildVjp(GradientBuilder &g) {
  g.set(0, reshape(cotangent(g), shapeOf(getInput())));
  return success();
}

// dx = dy with the dims permuted back
LogicalResult TransposeOp::buildVjp(GradientBuilder &g) {
  SmallVector<int64_t> inverse(getPermutation().size());
  for (auto [dim, source] : llvm::enumerate(getPermutation()))
    inverse[source] = static_cast<int64_t>(dim);
  g.set(0, transpose(cotangent(g), inverse));
  return success();
}

// dx = dy; the engine sums over what was repeated
LogicalResult BroadcastOp::buildVjp(GradientBuilder &g) {
  g.set(0, g.cotangent(0));
  return success();
}

// dx = dy inside the box, 0 around it and where steps pass by
LogicalResult SliceOp::buildVjp(GradientBuilder &g) {
  if (std::optional<ArrayRef<int64_t>> steps = getSteps()) {
    SmallVector<int64_t> offsets = llvm::map_to_vector(
        getOffsets(), [](int64_t offset) { return -offset; });
    SmallVector<int64_t> spread(*steps);
    for (auto [size, apart] : llvm::zip_equal(getSizes(), spread))
      apart = size == 1 ? 1 : apart;
    g.set(0, window(cotangent(g),
                    {offsets, SmallVector<int64_t>(shapeOf(getInput())),
                     /*steps=*/{}, spread}));
    return success();
  }
  SmallVector<int64_t> high;
  for (auto [size, offset, kept] :
       llvm::zip_equal(shapeOf(getInput()), getOffsets(), getSizes()))
    high.push_back(size - offset - kept);
  g.set(0, pad(cotangent(g), getOffsets(), high));
  return success();
}

/// Of each element of `input` the sum of its copies in `dy`. In places of their
/// own those lie side by side.
static Expr sumOfCopies(Expr dy, WindowOp op, ArrayRef<int64_t> input) {
  WindowShape places;
  SmallVector<int64_t> parts, copies;
  for (auto [dim, size] : llvm::enumerate(input)) {
    places.offsets.push_back(-op.getOffsets()[dim]);
    places.sizes.push_back(size * op.getSpread(dim));
    parts.push_back(size);
    if (op.getSpread(dim) == 1)
      continue;
    copies.push_back(static_cast<int64_t>(parts.size()));
    parts.push_back(op.getSpread(dim));
  }
  return reshape(sum(reshape(window(dy, places), parts), copies), input);
}

// dx[j] = sum of the dy[i] that are copies of j, in f32 if there are several;
// few of them are added in one expression
LogicalResult WindowOp::buildVjp(GradientBuilder &g) {
  constexpr int64_t kMostCopies = 16;
  WindowShape shape;
  int64_t count = 1;
  for (size_t dim = 0, rank = getOffsets().size(); dim < rank; ++dim) {
    shape.offsets.push_back(getOffsets()[dim]);
    shape.sizes.push_back(getSizes()[dim]);
    // No step is made to a single element, however long it is.
    shape.steps.push_back(getSizes()[dim] == 1 ? 1 : getStep(dim));
    shape.spread.push_back(getSpread(dim));
    count *= std::min(getSpread(dim), kMostCopies + 1);
    count = std::min(count, kMostCopies + 1);
  }
  ArrayRef<int64_t> input = shapeOf(getInput());
  Expr dy = cotangent(g);
  shape.repeats = getRepeat();
  if (!getRepeat() || count == 1)
    g.set(0, seeBack(dy, shape, input));
  else if (count <= kMostCopies)
    g.set(0, seeBack(dy, shape, input, widened));
  else
    g.set(0, sumOfCopies(widened(dy), *this, input));
  return success();
}

// dx = the box of dy that is not padding
LogicalResult PadOp::buildVjp(GradientBuilder &g) {
  g.set(0, slice(cotangent(g), getLow(), shapeOf(getInput())));
  return success();
}

// dx_i = the part of dy where input i lies
LogicalResult ConcatOp::buildVjp(GradientBuilder &g) {
  SmallVector<int64_t> offsets(shapeOf(getResult()).size(), 0);
  for (auto [index, input] : llvm::enumerate(getInputs())) {
    if (g.needs(index))
      g.set(index, slice(cotangent(g), offsets, shapeOf(input)));
    offsets[getDim()] += shapeOf(input)[getDim()];
  }
  return success();
}

// dx_t = the slice of dy at t
LogicalResult StackOp::buildVjp(GradientBuilder &g) {
  ArrayRef<int64_t> shape = shapeOf(getResult());
  SmallVector<int64_t> offsets(shape.size(), 0), sizes(shape);
  sizes[getDim()] = 1;
  for (auto [index, input] : llvm::enumerate(getInputs())) {
    offsets[getDim()] = static_cast<int64_t>(index);
    if (g.needs(index))
      g.set(index,
            reshape(slice(cotangent(g), offsets, sizes), shapeOf(input)));
  }
  return success();
}

// dx = the dy_t, one after the other
LogicalResult SplitOp::buildVjp(GradientBuilder &g) {
  SmallVector<Value> parts;
  for (unsigned index = 0; index < getNumResults(); ++index)
    parts.push_back(g.cotangent(index));
  g.set(0, ConcatOp::create(g.builder(), parts, getDim()));
  return success();
}

// dx = dy turned back
LogicalResult FlipOp::buildVjp(GradientBuilder &g) {
  g.set(0, FlipOp::create(g.builder(), g.cotangent(0), getDims()));
  return success();
}

// dx = sum of dy over the repetitions
LogicalResult TileOp::buildVjp(GradientBuilder &g) {
  ArrayRef<int64_t> shape = shapeOf(getInput());
  SmallVector<int64_t> parts, repetitions;
  for (auto [size, times] : llvm::zip_equal(shape, getRepeats())) {
    repetitions.push_back(static_cast<int64_t>(parts.size()));
    parts.append({times, size});
  }
  g.set(0, reshape(sum(reshape(cotangent(g), parts), repetitions), shape));
  return success();
}

/// dx = sums of the dy that were copied from each element, dim by dim.
template <typename Op>
static LogicalResult buildCopyingPadVjp(Op op, GradientBuilder &g) {
  ArrayRef<int64_t> shape = shapeOf(op.getInput());
  Value dx = g.cotangent(0);
  for (auto [dim, size] : llvm::enumerate(shape))
    if (op.getLow()[dim] + op.getHigh()[dim] > 0)
      dx = SegmentSumOp::create(g.builder(), dx,
                                op.buildSources(g.builder(), dim), dim, size,
                                /*ignore_index=*/mlir::IntegerAttr());
  g.set(0, dx);
  return success();
}

LogicalResult ReflectionPadOp::buildVjp(GradientBuilder &g) {
  return buildCopyingPadVjp(*this, g);
}
LogicalResult ReplicationPadOp::buildVjp(GradientBuilder &g) {
  return buildCopyingPadVjp(*this, g);
}
LogicalResult CircularPadOp::buildVjp(GradientBuilder &g) {
  return buildCopyingPadVjp(*this, g);
}
