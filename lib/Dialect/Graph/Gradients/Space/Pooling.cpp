// Family Pooling: gradient rules. Those of the largest keep which it was; means
// keep nothing.
#include "mpc/Dialect/Graph/IR/Ops/Space/Pooling.h"
#include "../Rule.h"
#include "mpc/Dialect/Graph/IR/Ops/Indexing.h"

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::gradient;

// dx[i] = sum of the dy whose largest element was i
LogicalResult MaxPoolOp::buildVjp(GradientBuilder &g) {
  mlir::ImplicitLocOpBuilder &b = g.builder();
  PoolingWindows windows = getWindows();
  SmallVector<int64_t> sizes, low;
  for (const PoolingDim &dim : windows.dims) {
    sizes.push_back(dim.size);
    low.push_back(dim.low);
  }
  bool hasLow = llvm::any_of(low, [](int64_t places) { return places != 0; });
  g.set(0, MaxPoolGradientOp::create(
               b, cotangent(g), g.result(1), b.getDenseI64ArrayAttr(sizes),
               getKernelAttr(), getStridesAttr(),
               hasLow ? b.getDenseI64ArrayAttr(low) : mlir::DenseI64ArrayAttr(),
               getDilationsAttr(), getChannelsLast()));
  return success();
}

LogicalResult AdaptiveMaxPoolOp::buildVjp(GradientBuilder &g) {
  mlir::ImplicitLocOpBuilder &b = g.builder();
  SmallVector<int64_t> sizes;
  for (const PoolingDim &dim : getWindows().dims)
    sizes.push_back(dim.size);
  mlir::DenseI64ArrayAttr none;
  g.set(0, MaxPoolGradientOp::create(b, cotangent(g), g.result(1),
                                     b.getDenseI64ArrayAttr(sizes), none, none,
                                     none, none, getChannelsLast()));
  return success();
}

/// Dims of space as one.
static SmallVector<int64_t> joinSpace(ArrayRef<int64_t> shape, bool isLast) {
  int64_t elements = 1;
  for (int64_t size : shape.slice(isLast ? 1 : 2, shape.size() - 2))
    elements *= size;
  return isLast ? SmallVector<int64_t>{shape.front(), elements, shape.back()}
                : SmallVector<int64_t>{shape[0], shape[1], elements};
}

// dcotangent[p] = dy[index[p]]
LogicalResult MaxPoolGradientOp::buildVjp(GradientBuilder &g) {
  Expr dy = cotangent(g), index = operand(g, 1);
  bool isLast = getChannelsLast();
  Expr picked(g.builder(),
              GatherElementsOp::create(
                  g.builder(), reshape(dy, joinSpace(dy.shape(), isLast)),
                  reshape(index, joinSpace(index.shape(), isLast)),
                  isLast ? 1 : 2));
  g.set(0, reshape(picked, index.shape()));
  return success();
}

namespace {
/// What windows over dim `at` say of its elements.
struct Back {
  const PoolingDim &dim;
  int64_t at;

  /// Of each element the window that has it at `place`, if there is one, or if
  /// `repeats` the last that has it there or behind.
  Expr see(Expr dy, int64_t place, bool repeats) const {
    WindowShape shape;
    shape.offsets.assign(dy.rank(), 0);
    llvm::append_range(shape.sizes, dy.shape());
    shape.spread.assign(dy.rank(), 1);
    shape.offsets[at] = dim.low - place;
    shape.sizes[at] = dim.size;
    shape.spread[at] = dim.stride;
    shape.repeats = repeats && dim.stride > 1;
    return window(dy, shape);
  }

  /// The window that has an element among its last `rest` places, which are
  /// fewer than a stride.
  Expr seeEnd(Expr dy, int64_t rest) const {
    SmallVector<double> places;
    for (int64_t element = 0; element < dim.size; ++element)
      places.push_back(static_cast<double>((element + dim.low) % dim.stride));
    Expr seen = see(dy, dim.kernel - rest, /*repeats=*/true);
    Expr place = makeAlong(dy.builder(), dy.builder().getI32Type(), places, at,
                           dy.rank());
    Expr isEnd = less(place, place.integer(rest));
    return select(broadcast(isEnd, seen.shape()), seen, seen.constant(0));
  }

  /// Windows with gaps, of many places: zeros between the windows, and runs of
  /// both.
  Expr addDilated(Expr dy) const {
    WindowShape shape;
    shape.offsets.assign(dy.rank(), 0);
    llvm::append_range(shape.sizes, dy.shape());
    shape.spread.assign(dy.rank(), 1);
    shape.sizes[at] = (dim.count - 1) * dim.stride + 1;
    shape.spread[at] = dim.stride;
    Expr runs = addRuns(window(dy, shape), at, dim.kernel, dim.dilation);
    shape.offsets[at] = dim.low;
    shape.sizes[at] = dim.size;
    shape.spread[at] = 1;
    return window(runs, shape);
  }
};
} // namespace

/// What comes to each element of dim `at` from all windows that hold it. As
/// often as the stride goes into the kernel, one of the windows that begin
/// within a stride has it; places beyond that, and dilated ones, are each seen
/// by itself, where they are few.
static Expr giveBackAlong(Expr dy, const PoolingDim &dim, int64_t at) {
  constexpr int64_t kMostTerms = 32, kMostEnds = 4;
  if (dim.isAdaptive)
    return dim.getTaps().transpose().apply(dy, at, dy.elementType(),
                                           /*reason=*/StringAttr());
  Back back{dim, at};
  bool isDense = dim.dilation == 1;
  if (!isDense && dim.kernel > kMostTerms)
    return back.addDilated(dy);
  int64_t whole = isDense ? dim.kernel / dim.stride : 0;
  int64_t rest = dim.kernel - whole * dim.stride;
  Expr total;
  auto add = [&](Expr term) { total = total ? total + term : term; };
  if (whole > kMostTerms)
    add(back.see(addRuns(dy, at, whole, /*distance=*/1), 0, /*repeats=*/true));
  else
    for (int64_t number = 0; number < whole; ++number)
      add(back.see(dy, number * dim.stride, /*repeats=*/true));
  if (isDense && rest > kMostEnds)
    add(back.seeEnd(dy, rest));
  else
    for (int64_t number = dim.kernel - rest; number < dim.kernel; ++number)
      add(back.see(dy, number * dim.dilation, /*repeats=*/false));
  return total;
}

/// `dy` divided by counts, for all elements of each window; in f32 where
/// several come to one element.
static Expr giveToAll(Expr dy, const PoolingWindows &windows,
                      bool withPadding) {
  auto isSideBySide = [](const PoolingDim &dim) {
    return !dim.isAdaptive && dim.stride == dim.kernel && dim.dilation == 1;
  };
  if (llvm::all_of(windows.dims, isSideBySide)) {
    dy = divideByCounts(dy, windows, withPadding);
    WindowShape shape;
    shape.offsets.assign(dy.rank(), 0);
    llvm::append_range(shape.sizes, dy.shape());
    shape.spread.assign(dy.rank(), 1);
    shape.repeats = true;
    for (auto [number, dim] : llvm::enumerate(windows.dims)) {
      size_t at = windows.firstSpaceDim() + number;
      shape.offsets[at] = dim.low;
      shape.sizes[at] = dim.size;
      shape.spread[at] = dim.kernel;
    }
    return window(dy, shape);
  }
  dy = divideByCounts(widened(dy), windows, withPadding);
  for (auto [number, dim] : llvm::enumerate(windows.dims))
    if (!dim.isTrivial())
      dy = giveBackAlong(
          dy, dim, windows.firstSpaceDim() + static_cast<int64_t>(number));
  return dy;
}

// dx[i] = sum of dy / count of the windows that hold i
LogicalResult AveragePoolOp::buildVjp(GradientBuilder &g) {
  g.set(0, giveToAll(cotangent(g), getWindows(), getCountPadding()));
  return success();
}
LogicalResult AdaptiveAveragePoolOp::buildVjp(GradientBuilder &g) {
  g.set(0, giveToAll(cotangent(g), getWindows(), /*withPadding=*/false));
  return success();
}
