// Family Pooling: the largest elements of windows, and where they are.
#include "Pool.h"
#include "mpc/Dialect/Graph/IR/Ops/Elementwise.h"
#include "mpc/Dialect/Graph/IR/Ops/Reduction.h"

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::expr;

/// Whether all places before `place` lie beside the input; no value: never.
/// Then it is taken even if all elements are the smallest there are.
static Expr isFirstThere(const Pool &pool, ArrayRef<int64_t> place) {
  Expr isFirst;
  for (auto [dim, number] : llvm::enumerate(place)) {
    if (number == 0)
      continue;
    const PoolingDim &own = pool.dims[dim];
    if (own.isAdaptive || (number - 1) * own.dilation >= own.low)
      return {};
    Expr before = pool.getPlaces(dim, number - 1);
    Expr isBeside = less(before, before.integer(0));
    isFirst = isFirst ? both(isFirst, isBeside) : isBeside;
  }
  return isFirst;
}

/// Takes `next` if it is larger, or NaN and the first.
static void take(const Pool &pool, Found &best, const Found &next,
                 Expr isFirst) {
  if (!next.index) {
    best.value = maximum(best.value, next.value);
    return;
  }
  Expr isMore = pool.d(
      LogicalNotOp::create(pool.b, Value(lessEqual(next.value, best.value))));
  Expr isTaken = both(isMore, equal(best.value, best.value));
  if (isFirst)
    isTaken = either(isFirst, isTaken);
  best.value = select(isTaken, next.value, best.value);
  best.index = select(isTaken, next.index, best.index);
}

static Found findDirectly(const Pool &pool, Expr x, bool withIndex) {
  Pool::Places counts;
  SmallVector<SmallVector<Expr>> rows; // of each dim what its places count for
  for (auto [dim, own] : llvm::enumerate(pool.dims)) {
    counts.push_back(own.kernel);
    SmallVector<Expr> &row = rows.emplace_back();
    for (int64_t number = 0; withIndex && number < own.kernel; ++number)
      row.push_back(pool.getPlaces(dim, number));
  }
  Found best;
  forEachPlace(counts, [&](ArrayRef<int64_t> place) {
    Found next{pool.d.wide(pool.see(x, place, /*isLowest=*/true)), {}};
    for (size_t dim = 0; withIndex && dim < place.size(); ++dim) {
      Expr part = rows[dim][place[dim]];
      next.index = next.index ? next.index + part : part;
    }
    if (best.value)
      take(pool, best, next, isFirstThere(pool, place));
    else
      best = next;
  });
  return best;
}

/// `indices` that broadcast to `value`, in its shape.
static Expr spreadIndex(Expr indices, Expr value) {
  return broadcast(indices, value.shape());
}

/// All places of a dim along one of their own. A place that no element is at
/// holds what another of its window does: what is there twice is the same.
static Found findByReduction(const Pool &pool, const Found &from, size_t dim,
                             bool withIndex) {
  int64_t at = pool.getDim(dim);
  AllPlaces all = pool.getAllPlaces(dim);
  Expr value = pool.gather(from.value, dim, all);
  if (!withIndex)
    return {{pool.b, MaxOp::create(pool.b, value, ArrayRef<int64_t>(at + 1),
                                   /*keep_dims=*/false)},
            {}};
  SmallVector<int64_t> aligned(all.index.shape());
  aligned.append(pool.rank - 1 - at, 1);
  Expr index =
      scaleAndShift(reshape(all.index, aligned), pool.getRowSize(dim), 0);
  if (from.index)
    index = pool.gather(broadcast(from.index, from.value.shape()), dim, all) +
            index;
  auto most = MaxWithIndexOp::create(pool.b, value, spreadIndex(index, value),
                                     ArrayRef<int64_t>(at + 1),
                                     /*keep_dims=*/false);
  return {{pool.b, most->getResult(0)}, {pool.b, most->getResult(1)}};
}

static Found findAlong(const Pool &pool, const Found &from, size_t dim,
                       bool withIndex) {
  const PoolingDim &own = pool.dims[dim];
  if (own.kernel > kMostAlong)
    return findByReduction(pool, from, dim, withIndex);
  Found best;
  for (int64_t number = 0; number < own.kernel; ++number) {
    Found next{
        pool.d.wide(pool.seeAlong(from.value, dim, number, /*isLowest=*/true)),
        {}};
    if (withIndex) {
      next.index = pool.getPlaces(dim, number);
      if (from.index)
        next.index =
            pool.seeAlong(from.index, dim, number, /*isLowest=*/false) +
            next.index;
    }
    Pool::Places place(pool.dims.size(), 0);
    place[dim] = number;
    if (best.value)
      take(pool, best, next, withIndex ? isFirstThere(pool, place) : Expr());
    else
      best = next;
  }
  // As memory holds it: the largest is one of the elements.
  best.value = pool.d.castTo(best.value, from.value.elementType());
  if (withIndex)
    best.index = broadcast(best.index, best.value.shape());
  return best;
}

static Found findInTiles(const Pool &pool, Expr x, bool withIndex) {
  Expr tiled = pool.tile(x);
  if (!withIndex)
    return {{pool.b, MaxOp::create(pool.b, tiled, pool.tiledDims(),
                                   /*keep_dims=*/false)},
            {}};
  Expr index;
  for (auto [dim, own] : llvm::enumerate(pool.dims)) {
    int64_t at = pool.first + 2 * static_cast<int64_t>(dim);
    int64_t row = pool.getRowSize(dim);
    Expr part = scaleAndShift(pool.countAlong(own.count, at, tiled.rank()),
                              own.kernel * row, 0) +
                scaleAndShift(pool.countAlong(own.kernel, at + 1, tiled.rank()),
                              row, 0);
    index = index ? index + part : part;
  }
  auto most = MaxWithIndexOp::create(pool.b, tiled, spreadIndex(index, tiled),
                                     pool.tiledDims(), /*keep_dims=*/false);
  return {{pool.b, most->getResult(0)}, {pool.b, most->getResult(1)}};
}

/// The largest of each window of `x`, and if `withIndex` which they are.
static Found findLargest(const Pool &pool, Expr x, bool withIndex) {
  if (pool.isDirect())
    return findDirectly(pool, x, withIndex);
  if (pool.isTiled())
    return findInTiles(pool, x, withIndex);
  Found found{x, {}};
  for (size_t dim = pool.dims.size(); dim-- > 0;)
    if (withIndex || !pool.dims[dim].isTrivial())
      found = findAlong(pool, found, dim, withIndex);
  return found;
}

template <typename Op>
static SmallVector<Value> findLargest(Op op,
                                      mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, op);
  PoolingWindows windows = op.getWindows();
  bool withIndex = !op.getIndex().use_empty();
  Found found =
      findLargest(Pool(builder, d, windows), d(op.getInput()), withIndex);
  auto type = cast<RankedTensorType>(op.getIndex().getType());
  if (!withIndex)
    found.index =
        broadcast(constant(builder, type.getElementType(), 0), type.getShape());
  return {d.castTo(found.value, elementOf(op.getResult())),
          broadcast(found.index, type.getShape())};
}

SmallVector<Value> MaxPoolOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  return findLargest(*this, builder);
}
SmallVector<Value>
AdaptiveMaxPoolOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  return findLargest(*this, builder);
}
