// Family Pooling: the largest elements of windows, and where they are.
#include "Pool.h"
#include "mpc/Dialect/Graph/IR/Ops/Constant.h"
#include "mpc/Dialect/Graph/IR/Ops/Elementwise.h"
#include "mpc/Dialect/Graph/IR/Ops/Indexing.h"
#include "mpc/Dialect/Graph/IR/Ops/Reduction.h"

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::expr;

/// Whether all places before `place` lie beside the input; no value: never.
/// Then it is taken even if all elements are the smallest there are.
Expr Pool::isFirstThere(ArrayRef<int64_t> place) const {
  Expr isFirst;
  for (auto [dim, number] : llvm::enumerate(place)) {
    if (number == 0)
      continue;
    const PoolingDim &own = dims[dim];
    if (own.isAdaptive || (number - 1) * own.dilation >= own.low)
      return {};
    Expr before = getPlaces(dim, number - 1);
    Expr isBeside = less(before, before.integer(0));
    isFirst = isFirst ? both(isFirst, isBeside) : isBeside;
  }
  return isFirst;
}

/// Takes `next` if it is larger, or NaN and the first.
void Pool::take(Found &best, const Found &next, Expr isFirst) const {
  if (!next.index) {
    best.value = maximum(best.value, next.value);
    return;
  }
  Expr isMore =
      d(LogicalNotOp::create(b, Value(lessEqual(next.value, best.value))));
  Expr isTaken = both(isMore, equal(best.value, best.value));
  if (isFirst)
    isTaken = either(isFirst, isTaken);
  best.value = select(isTaken, next.value, best.value);
  best.index = select(isTaken, next.index, best.index);
}

Found Pool::findDirectly(Expr x, bool withIndex) {
  Places counts;
  SmallVector<SmallVector<Expr>> rows; // of each dim what its places count for
  for (auto [dim, own] : llvm::enumerate(dims)) {
    counts.push_back(own.kernel);
    SmallVector<Expr> &row = rows.emplace_back();
    for (int64_t number = 0; withIndex && number < own.kernel; ++number)
      row.push_back(getPlaces(dim, number));
  }
  Found best;
  forEachPlace(counts, [&](ArrayRef<int64_t> place) {
    Found next{d.wide(see(x, place, /*isLowest=*/true)), {}};
    for (size_t dim = 0; withIndex && dim < place.size(); ++dim) {
      Expr part = rows[dim][place[dim]];
      next.index = next.index ? next.index + part : part;
    }
    if (best.value)
      take(best, next, isFirstThere(place));
    else
      best = next;
  });
  return best;
}

Found Pool::findAlong(const Found &from, size_t dim, bool withIndex) {
  const PoolingDim &own = dims[dim];
  if (own.kernel > kMostAlong)
    return findByReduction(from, dim, withIndex);
  Found best;
  for (int64_t number = 0; number < own.kernel; ++number) {
    Found next{d.wide(seeAlong(from.value, dim, number, /*isLowest=*/true)),
               {}};
    if (withIndex) {
      next.index = getPlaces(dim, number);
      if (from.index)
        next.index =
            seeAlong(from.index, dim, number, /*isLowest=*/false) + next.index;
    }
    Places place(dims.size(), 0);
    place[dim] = number;
    if (best.value)
      take(best, next, withIndex ? isFirstThere(place) : Expr());
    else
      best = next;
  }
  // As memory holds it: the largest is one of the elements.
  best.value = d.castTo(best.value, from.value.elementType());
  if (withIndex)
    best.index = broadcast(best.index, best.value.shape());
  return best;
}

/// `indices` that broadcast to `value`, in its shape.
static Expr spreadIndex(Expr indices, Expr value) {
  return broadcast(indices, value.shape());
}

/// All places of a dim along one of their own. Each window begins with its
/// first element: what is there twice is the same.
Found Pool::findByReduction(const Found &from, size_t dim, bool withIndex) {
  const PoolingDim &own = dims[dim];
  int64_t at = first + static_cast<int64_t>(dim);
  SmallVector<int32_t> table;
  for (int64_t window = 0; window < own.count; ++window) {
    SmallVector<int32_t> places;
    for (int64_t number = 0; number < own.getLength(window); ++number)
      if (int64_t place = own.getPlace(window, number);
          place >= 0 && place < own.size)
        places.push_back(static_cast<int32_t>(place));
    places.resize(own.kernel, places.back());
    llvm::append_range(table, places);
  }
  auto type = RankedTensorType::get({own.count, own.kernel}, b.getI32Type());
  Expr indices(b, ConstantOp::create(b, mlir::DenseElementsAttr::get(
                                            type, ArrayRef<int32_t>(table))));
  auto gather = [&](Expr x) {
    return Expr(b, GatherOp::create(b, x, indices, at,
                                    /*padding_index=*/mlir::IntegerAttr()));
  };
  Expr value = gather(from.value);
  if (!withIndex)
    return {{b, MaxOp::create(b, value, ArrayRef<int64_t>(at + 1),
                              /*keep_dims=*/false)},
            {}};
  SmallVector<int64_t> aligned = {own.count, own.kernel};
  aligned.append(rank - 1 - at, 1);
  Expr index = scaleAndShift(reshape(indices, aligned), getRowSize(dim), 0);
  if (from.index)
    index = gather(broadcast(from.index, from.value.shape())) + index;
  auto most = MaxWithIndexOp::create(b, value, spreadIndex(index, value),
                                     ArrayRef<int64_t>(at + 1),
                                     /*keep_dims=*/false);
  return {{b, most->getResult(0)}, {b, most->getResult(1)}};
}

Found Pool::findInTiles(Expr x, bool withIndex) {
  Expr tiled = tile(x);
  if (!withIndex)
    return {{b, MaxOp::create(b, tiled, tiledDims(), /*keep_dims=*/false)}, {}};
  Expr index;
  for (auto [dim, own] : llvm::enumerate(dims)) {
    int64_t at = first + 2 * static_cast<int64_t>(dim);
    int64_t row = getRowSize(dim);
    Expr part =
        scaleAndShift(countAlong(own.count, at, tiled.rank()), own.kernel * row,
                      0) +
        scaleAndShift(countAlong(own.kernel, at + 1, tiled.rank()), row, 0);
    index = index ? index + part : part;
  }
  auto most = MaxWithIndexOp::create(b, tiled, spreadIndex(index, tiled),
                                     tiledDims(), /*keep_dims=*/false);
  return {{b, most->getResult(0)}, {b, most->getResult(1)}};
}

Found Pool::findLargest(Expr x, bool withIndex) {
  if (isDirect())
    return findDirectly(x, withIndex);
  if (isTiled())
    return findInTiles(x, withIndex);
  Found found{x, {}};
  for (size_t dim = dims.size(); dim-- > 0;)
    if (withIndex || !dims[dim].isTrivial())
      found = findAlong(found, dim, withIndex);
  return found;
}

template <typename Op>
static SmallVector<Value> findLargest(Op op,
                                      mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, op);
  PoolingWindows windows = op.getWindows();
  bool withIndex = !op.getIndex().use_empty();
  Found found =
      Pool(builder, d, windows).findLargest(d(op.getInput()), withIndex);
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
