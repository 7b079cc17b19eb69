// Family Pooling: places of windows, and means of what they hold.
#include "Pool.h"
#include "mpc/Dialect/Graph/IR/Ops/Indexing.h"
#include "mpc/Dialect/Graph/IR/Ops/Reduction.h"
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::expr;

//===-- Places ------------------------------------------------------------===//

int64_t Pool::countPlaces() const {
  int64_t places = 1;
  for (const PoolingDim &dim : dims)
    places *= std::min(dim.kernel, kMostPlaces + 1);
  return places;
}

bool Pool::isDirect() const {
  return countPlaces() <= kMostPlaces &&
         llvm::none_of(dims,
                       [](const PoolingDim &dim) { return dim.isAdaptive; });
}

bool Pool::isTiled() const {
  return llvm::all_of(dims, [](const PoolingDim &dim) {
    return dim.isTiling() && dim.count * dim.kernel <= dim.size;
  });
}

void graph::forEachPlace(ArrayRef<int64_t> counts,
                         function_ref<void(ArrayRef<int64_t>)> visit) {
  Pool::Places place(counts.size(), 0);
  while (true) {
    visit(place);
    size_t dim = counts.size();
    while (dim > 0 && ++place[dim - 1] == counts[dim - 1])
      place[--dim] = 0;
    if (dim == 0)
      return;
  }
}

Expr Pool::see(Expr x, ArrayRef<int64_t> place, bool isLowest) const {
  WindowShape shape;
  shape.offsets.assign(rank, 0);
  llvm::append_range(shape.sizes, x.shape());
  shape.steps.assign(rank, 1);
  shape.isLowest = isLowest;
  for (auto [number, dim] : llvm::enumerate(dims)) {
    shape.offsets[first + number] = place[number] * dim.dilation - dim.low;
    shape.sizes[first + number] = dim.count;
    shape.steps[first + number] = dim.stride;
  }
  return window(x, shape);
}

Expr Pool::seeAlong(Expr x, size_t dim, int64_t number, bool isLowest) const {
  const PoolingDim &own = dims[dim];
  if (own.isAdaptive) {
    SmallVector<int64_t> indices;
    for (int64_t window = 0; window < own.count; ++window)
      indices.push_back(
          own.getPlace(window, std::min(number, own.getLength(window) - 1)));
    return pickAlong(x, getDim(dim), indices);
  }
  WindowShape shape;
  shape.offsets.assign(rank, 0);
  llvm::append_range(shape.sizes, x.shape());
  shape.steps.assign(rank, 1);
  shape.isLowest = isLowest;
  int64_t at = getDim(dim);
  shape.offsets[at] = number * own.dilation - own.low;
  shape.sizes[at] = own.count;
  shape.steps[at] = own.stride;
  return window(x, shape);
}

Expr Pool::countAlong(int64_t size, int64_t dim, int64_t alignedRank) const {
  SmallVector<int64_t> shape = {size};
  shape.append(alignedRank - 1 - dim, 1);
  return d(IotaOp::create(b, RankedTensorType::get(shape, b.getI32Type()), 0));
}

Expr Pool::getPlaces(size_t dim, int64_t number) const {
  const PoolingDim &own = dims[dim];
  int64_t at = getDim(dim), row = getRowSize(dim);
  if (!own.isAdaptive)
    return scaleAndShift(countAlong(own.count, at, rank), own.stride * row,
                         (number * own.dilation - own.low) * row);
  SmallVector<double> places;
  for (int64_t window = 0; window < own.count; ++window)
    places.push_back(static_cast<double>(
        row *
        own.getPlace(window, std::min(number, own.getLength(window) - 1))));
  return makeAlong(b, b.getI32Type(), places, at, rank);
}

/// The numbers of the places of `window` that hold an element: the first one
/// and the last.
static std::pair<int64_t, int64_t> getHeld(const PoolingDim &dim,
                                           int64_t window) {
  int64_t begin = dim.getPlace(window, 0);
  int64_t least = llvm::divideCeilSigned(-begin, dim.dilation),
          most = llvm::divideFloorSigned(dim.size - 1 - begin, dim.dilation);
  return {std::max<int64_t>(least, 0),
          std::min(most, dim.getLength(window) - 1)};
}

AllPlaces Pool::getAllPlaces(size_t dim) const {
  const PoolingDim &own = dims[dim];
  SmallVector<double> begins, least, most;
  bool isWhole = true;
  for (int64_t window = 0; window < own.count; ++window) {
    auto [from, to] = getHeld(own, window);
    begins.push_back(static_cast<double>(own.getPlace(window, 0)));
    least.push_back(static_cast<double>(from));
    most.push_back(static_cast<double>(to));
    isWhole &= from == 0 && to == own.kernel - 1;
  }
  auto along = [&](ArrayRef<double> numbers) {
    return makeAlong(b, b.getI32Type(), numbers, 0, 2);
  };
  Expr begin = own.isAdaptive ? along(begins)
                              : scaleAndShift(countAlong(own.count, 0, 2),
                                              own.stride, -own.low);
  Expr number = countAlong(own.kernel, 1, 2);
  AllPlaces all;
  if (!isWhole) {
    Expr from = along(least), to = along(most);
    all.isThere = both(lessEqual(from, number), lessEqual(number, to));
    number = minimum(maximum(number, from), to);
  }
  all.index = broadcast(begin + scaleAndShift(number, own.dilation, 0),
                        {own.count, own.kernel});
  return all;
}

Expr Pool::gather(Expr x, size_t dim, const AllPlaces &all) const {
  return {b, GatherOp::create(b, x, all.index, getDim(dim),
                              /*padding_index=*/mlir::IntegerAttr())};
}

int64_t Pool::getRowSize(size_t dim) const {
  int64_t size = 1;
  for (const PoolingDim &inner : dims.drop_front(dim + 1))
    size *= inner.size;
  return size;
}

Expr graph::scaleAndShift(Expr x, int64_t factor, int64_t offset) {
  if (factor != 1)
    x = x * x.integer(factor);
  return offset == 0 ? x : x + x.integer(offset);
}

Expr Pool::tile(Expr x) const {
  SmallVector<int64_t> none(rank, 0), kept(x.shape()), tiled;
  for (int64_t dim = 0; dim < rank; ++dim) {
    bool isSpace = dim >= first && dim < first + int64_t(dims.size());
    if (!isSpace) {
      tiled.push_back(x.shape()[dim]);
      continue;
    }
    const PoolingDim &own = dims[dim - first];
    kept[dim] = own.count * own.kernel;
    tiled.append({own.count, own.kernel});
  }
  if (ArrayRef<int64_t>(kept) != x.shape())
    x = slice(x, none, kept);
  return reshape(x, tiled);
}

SmallVector<int64_t> Pool::tiledDims() const {
  SmallVector<int64_t> places;
  for (size_t dim = 0; dim < dims.size(); ++dim)
    places.push_back(first + 2 * static_cast<int64_t>(dim) + 1);
  return places;
}

//===-- Sums --------------------------------------------------------------===//

/// Of many places along a dim, as a dim of their own.
static Expr addByReduction(const Pool &pool, Expr x, size_t dim) {
  int64_t at = pool.getDim(dim);
  AllPlaces all = pool.getAllPlaces(dim);
  Expr held = pool.d.wide(pool.gather(x, dim, all));
  if (all.isThere) {
    SmallVector<int64_t> aligned(all.isThere.shape());
    aligned.append(pool.rank - 1 - at, 1);
    held = select(broadcast(reshape(all.isThere, aligned), held.shape()), held,
                  held.constant(0));
  }
  return {pool.b, SumOp::create(pool.b, held, ArrayRef<int64_t>(at + 1),
                                /*keep_dims=*/false,
                                /*dtype=*/mlir::TypeAttr())};
}

/// Whether sums of all runs of a window's length, of which each window is one,
/// are less work than the windows by themselves.
static bool areRunsLess(const PoolingDim &dim) {
  double kernel = static_cast<double>(dim.kernel);
  return !dim.isAdaptive &&
         2 * std::sqrt(kernel) * static_cast<double>(dim.stride) < kernel;
}

static Expr addByRuns(const Pool &pool, Expr x, size_t dim) {
  const PoolingDim &own = pool.dims[dim];
  int64_t at = pool.getDim(dim);
  x = addRuns(pool.d.wide(x), at, own.kernel, own.dilation);
  WindowShape shape;
  shape.offsets.assign(pool.rank, 0);
  llvm::append_range(shape.sizes, x.shape());
  shape.steps.assign(pool.rank, 1);
  shape.offsets[at] = own.getReach() - 1 - own.low;
  shape.sizes[at] = own.count;
  shape.steps[at] = own.stride;
  return window(x, shape);
}

/// The sums of each window along a dim.
static Expr addAlong(const Pool &pool, Expr x, size_t dim) {
  const PoolingDim &own = pool.dims[dim];
  if (own.kernel > kMostAlong && areRunsLess(own))
    return addByRuns(pool, x, dim);
  if (own.kernel > kMostAlong)
    return addByReduction(pool, x, dim);
  if (own.isAdaptive)
    return own.getTaps().apply(x, pool.getDim(dim),
                               getComputeType(x.elementType()),
                               pool.d.getReason());
  Expr total = pool.d.wide(pool.seeAlong(x, dim, 0, /*isLowest=*/false));
  for (int64_t number = 1; number < own.kernel; ++number)
    total =
        total + pool.d.wide(pool.seeAlong(x, dim, number, /*isLowest=*/false));
  return total;
}

/// The sums of each window of `x`, wide.
static Expr addUp(const Pool &pool, Expr x) {
  if (pool.isDirect()) {
    auto counts = llvm::map_to_vector<3>(
        pool.dims, [](const PoolingDim &dim) { return dim.kernel; });
    Expr total;
    forEachPlace(counts, [&](ArrayRef<int64_t> place) {
      Expr next = pool.d.wide(pool.see(x, place, /*isLowest=*/false));
      total = total ? total + next : next;
    });
    return total;
  }
  if (pool.isTiled())
    return {pool.b, SumOp::create(pool.b, pool.d.wide(pool.tile(x)),
                                  pool.tiledDims(), /*keep_dims=*/false,
                                  /*dtype=*/mlir::TypeAttr())};
  for (size_t dim = pool.dims.size(); dim-- > 0;)
    if (!pool.dims[dim].isTrivial())
      x = addAlong(pool, x, dim);
  return pool.d.wide(x);
}

//===-- The ops -----------------------------------------------------------===//

/// sum / count
template <typename Op>
static Value average(Op op, bool withPadding,
                     mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, op);
  PoolingWindows windows = op.getWindows();
  Expr total = addUp(Pool(builder, d, windows), d(op.getInput()));
  return d.castTo(divideByCounts(total, windows, withPadding),
                  elementOf(op.getResult()));
}

SmallVector<Value>
AveragePoolOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  return {average(*this, getCountPadding(), builder)};
}
SmallVector<Value>
AdaptiveAveragePoolOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  return {average(*this, /*withPadding=*/false, builder)};
}
