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

/// What comes to each element from all windows that hold it.
static Expr giveToAll(Expr dy, const PoolingWindows &windows) {
  auto isSideBySide = [](const PoolingDim &dim) {
    return !dim.isAdaptive && dim.stride == dim.kernel && dim.dilation == 1;
  };
  if (llvm::all_of(windows.dims, isSideBySide)) {
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
  for (auto [number, dim] : llvm::enumerate(windows.dims))
    if (!dim.isTrivial())
      dy = dim.getTaps().transpose().apply(
          dy, windows.firstSpaceDim() + static_cast<int64_t>(number),
          dy.elementType(), /*reason=*/StringAttr());
  return dy;
}

// dx[i] = sum of dy / count of the windows that hold i
LogicalResult AveragePoolOp::buildVjp(GradientBuilder &g) {
  PoolingWindows windows = getWindows();
  Expr dy = divideByCounts(cotangent(g), windows, getCountPadding());
  g.set(0, giveToAll(dy, windows));
  return success();
}
LogicalResult AdaptiveAveragePoolOp::buildVjp(GradientBuilder &g) {
  PoolingWindows windows = getWindows();
  Expr dy = divideByCounts(cotangent(g), windows, /*withPadding=*/false);
  g.set(0, giveToAll(dy, windows));
  return success();
}
