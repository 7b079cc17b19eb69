// Family Pooling: places of windows, and means of what they hold.
#include "Pool.h"
#include "mpc/Dialect/Graph/IR/Ops/Reduction.h"
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"

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

void Pool::forEachPlace(ArrayRef<int64_t> counts,
                        function_ref<void(ArrayRef<int64_t>)> visit) const {
  Places place(counts.size(), 0);
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
    return pickAlong(x, first + static_cast<int64_t>(dim), indices);
  }
  WindowShape shape;
  shape.offsets.assign(rank, 0);
  llvm::append_range(shape.sizes, x.shape());
  shape.steps.assign(rank, 1);
  shape.isLowest = isLowest;
  size_t at = first + dim;
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
  int64_t at = first + static_cast<int64_t>(dim), row = getRowSize(dim);
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

Expr Pool::addUp(Expr x) {
  if (!isDirect() && isTiled())
    return {b,
            SumOp::create(b, d.wide(tile(x)), tiledDims(), /*keep_dims=*/false,
                          /*dtype=*/mlir::TypeAttr())};
  if (isDirect()) {
    Places counts = llvm::map_to_vector<3>(
        dims, [](const PoolingDim &dim) { return dim.kernel; });
    Expr total;
    forEachPlace(counts, [&](ArrayRef<int64_t> place) {
      Expr next = d.wide(see(x, place, /*isLowest=*/false));
      total = total ? total + next : next;
    });
    return total;
  }
  for (size_t dim = dims.size(); dim-- > 0;) {
    const PoolingDim &own = dims[dim];
    if (own.isTrivial())
      continue;
    if (own.isAdaptive || own.kernel > kMostAlong) {
      x = own.getTaps().apply(x, first + static_cast<int64_t>(dim),
                              getComputeType(x.elementType()), d.getReason());
      continue;
    }
    Expr total = d.wide(seeAlong(x, dim, 0, /*isLowest=*/false));
    for (int64_t number = 1; number < own.kernel; ++number)
      total = total + d.wide(seeAlong(x, dim, number, /*isLowest=*/false));
    x = total;
  }
  return d.wide(x);
}

//===-- The ops -----------------------------------------------------------===//

/// sum / count
template <typename Op>
static Value average(Op op, bool withPadding,
                     mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, op);
  PoolingWindows windows = op.getWindows();
  Expr total = Pool(builder, d, windows).addUp(d(op.getInput()));
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
