// Family Pooling: windows, seen place by place.
//
// A few places are one expression: a kernel reads each where the input lies.
// More are folded dim by dim, the innermost first, so that equals keep their
// order. Many that lie side by side are dims of their own, which a reduction
// takes away.
#include "mpc/Dialect/Graph/IR/Ops/Space/Pooling.h"
#include "../Decomposition.h"
#include "mpc/Dialect/Graph/IR/Ops/Constant.h"
#include "mpc/Dialect/Graph/IR/Ops/Elementwise.h"
#include "mpc/Dialect/Graph/IR/Ops/Indexing.h"
#include "mpc/Dialect/Graph/IR/Ops/Reduction.h"
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"
#include "mpc/Dialect/Graph/IR/Ops/Space/Taps.h"
#include <limits>

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::expr;

namespace {
/// Places of windows that one expression reads: of all dims, and of one.
constexpr int64_t kMostPlaces = 16, kMostAlong = 32;

/// Elements, and which they are.
struct Found {
  Expr value, index;
};

/// The dims of space of a tensor, and what windows over them make of it.
class Pool {
public:
  Pool(mlir::ImplicitLocOpBuilder &builder, const Decomposition &decomposition,
       const PoolingWindows &windows)
      : b(builder), d(decomposition), dims(windows.dims),
        first(windows.firstSpaceDim()),
        rank(static_cast<int64_t>(windows.dims.size()) + 2) {}

  /// The largest of each window of `x`, and if `withIndex` which they are.
  Found findLargest(Expr x, bool withIndex);
  /// The sums of each window, wide.
  Expr addUp(Expr x);
  /// The transpose of what `findLargest` has found, wide.
  Expr giveBack(Expr cotangent, Expr index);

private:
  using Places = SmallVector<int64_t, 3>;

  bool isDirect() const;
  bool isTiled() const;
  int64_t countPlaces() const;
  /// Calls `visit` with the places of a window in row-major order.
  void forEachPlace(ArrayRef<int64_t> counts,
                    function_ref<void(ArrayRef<int64_t>)> visit) const;
  Expr tile(Expr x) const;
  SmallVector<int64_t> tiledDims() const;
  Expr see(Expr x, ArrayRef<int64_t> place, bool isLowest) const;
  Expr seeAlong(Expr x, size_t dim, int64_t number, bool isLowest) const;
  Expr countAlong(int64_t size, int64_t dim, int64_t alignedRank) const;
  Expr getPlaces(size_t dim, int64_t number) const;
  Expr isFirstThere(ArrayRef<int64_t> place) const;
  void take(Found &best, const Found &next, Expr isFirst) const;
  Found findDirectly(Expr x, bool withIndex);
  Found findAlong(const Found &from, size_t dim, bool withIndex);
  Found findByReduction(const Found &from, size_t dim, bool withIndex);
  Found findInTiles(Expr x, bool withIndex);
  int64_t getRowSize(size_t dim) const;
  int64_t countCandidates(size_t dim) const;
  Expr seeBack(Expr x, ArrayRef<int64_t> number) const;
  Found giveBackAlong(const Found &from, size_t dim) const;

  mlir::ImplicitLocOpBuilder &b;
  const Decomposition &d;
  ArrayRef<PoolingDim> dims;
  int64_t first, rank;
};
} // namespace

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

/// What each window has at `place`, of all dims.
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

/// The same of one dim; of windows of several lengths, a shorter one has its
/// last place several times.
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

/// 0, 1, ... along `dim` of a tensor of `alignedRank`.
Expr Pool::countAlong(int64_t size, int64_t dim, int64_t alignedRank) const {
  SmallVector<int64_t> shape = {size};
  shape.append(alignedRank - 1 - dim, 1);
  return d(IotaOp::create(b, RankedTensorType::get(shape, b.getI32Type()), 0));
}

/// x * factor + offset, of i32.
static Expr scale(Expr x, int64_t factor, int64_t offset) {
  if (factor != 1)
    x = x * x.integer(factor);
  return offset == 0 ? x : x + x.integer(offset);
}

/// Which element of dim `dim` each window has at `number`, in elements of
/// space.
Expr Pool::getPlaces(size_t dim, int64_t number) const {
  const PoolingDim &own = dims[dim];
  int64_t at = first + static_cast<int64_t>(dim), row = getRowSize(dim);
  if (!own.isAdaptive)
    return scale(countAlong(own.count, at, rank), own.stride * row,
                 (number * own.dilation - own.low) * row);
  SmallVector<double> places;
  for (int64_t window = 0; window < own.count; ++window)
    places.push_back(static_cast<double>(
        row *
        own.getPlace(window, std::min(number, own.getLength(window) - 1))));
  return makeAlong(b, b.getI32Type(), places, at, rank);
}

/// Elements of space from one index of dim `dim` to the next.
int64_t Pool::getRowSize(size_t dim) const {
  int64_t size = 1;
  for (const PoolingDim &inner : dims.drop_front(dim + 1))
    size *= inner.size;
  return size;
}

//===-- The largest -------------------------------------------------------===//

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
  Expr index = scale(reshape(indices, aligned), getRowSize(dim), 0);
  if (from.index)
    index = gather(broadcast(from.index, from.value.shape())) + index;
  auto most = MaxWithIndexOp::create(b, value, spreadIndex(index, value),
                                     ArrayRef<int64_t>(at + 1),
                                     /*keep_dims=*/false);
  return {{b, most->getResult(0)}, {b, most->getResult(1)}};
}

/// `x` with two dims for each of space: which window, and which place of it.
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

/// The dims of places in what `tile` makes.
SmallVector<int64_t> Pool::tiledDims() const {
  SmallVector<int64_t> places;
  for (size_t dim = 0; dim < dims.size(); ++dim)
    places.push_back(first + 2 * static_cast<int64_t>(dim) + 1);
  return places;
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
        scale(countAlong(own.count, at, tiled.rank()), own.kernel * row, 0) +
        scale(countAlong(own.kernel, at + 1, tiled.rank()), row, 0);
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

//===-- Back to where the largest was -------------------------------------===//

/// How many windows have an element of dim `dim`, at most.
int64_t Pool::countCandidates(size_t dim) const {
  const PoolingDim &own = dims[dim];
  if (!own.isAdaptive)
    return std::min<int64_t>(own.count,
                             llvm::divideCeil(own.getReach(), own.stride));
  Taps back = own.getTaps().transpose();
  size_t most = 1;
  for (ArrayRef<Tap> of : back.results)
    most = std::max(most, of.size());
  return static_cast<int64_t>(most);
}

/// Of each element of the input the last window that may have it, or the one
/// that is `number` before that. None is all zeros.
Expr Pool::seeBack(Expr x, ArrayRef<int64_t> number) const {
  WindowShape shape;
  shape.offsets.assign(rank, 0);
  llvm::append_range(shape.sizes, x.shape());
  shape.spread.assign(rank, 1);
  shape.repeats = true;
  for (auto [dim, own] : llvm::enumerate(dims)) {
    if (number[dim] < 0)
      continue;
    shape.offsets[first + dim] = own.low - number[dim] * own.stride;
    shape.sizes[first + dim] = own.size;
    shape.spread[first + dim] = own.stride;
  }
  return window(x, shape);
}

/// What of `from` comes to each element of dim `dim`, and to which of the other
/// dims: all windows that name it along this dim name one, that which was the
/// largest of its row.
Found Pool::giveBackAlong(const Found &from, size_t dim) const {
  const PoolingDim &own = dims[dim];
  int64_t at = first + static_cast<int64_t>(dim), row = getRowSize(dim);
  Expr begin = scale(countAlong(own.size, at, rank), row, 0);
  std::optional<Taps> back;
  if (own.isAdaptive)
    back = own.getTaps().transpose();
  Found total;
  for (int64_t number = 0, e = countCandidates(dim); number < e; ++number) {
    Found next;
    if (back) {
      // An index from outside reads as one that no element has.
      SmallVector<double> of;
      for (ArrayRef<Tap> windows : back->results)
        of.push_back(number < int64_t(windows.size())
                         ? static_cast<double>(windows[number].from)
                         : -1);
      Expr table = makeAlong(b, b.getI32Type(), of, 0, 1);
      auto gather = [&](Expr x) {
        return Expr(b, GatherOp::create(b, x, table, at,
                                        /*padding_index=*/mlir::IntegerAttr()));
      };
      next = {gather(from.value), gather(from.index)};
    } else {
      Places along(dims.size(), -1);
      along[dim] = number;
      next = {seeBack(from.value, along), seeBack(from.index, along)};
    }
    Expr rest = next.index - begin;
    Expr isHere = row == 1 ? equal(rest, rest.integer(0))
                           : both(greaterEqual(rest, rest.integer(0)),
                                  less(rest, rest.integer(row)));
    next.value = d.wide(next.value);
    Expr value = select(isHere, next.value, next.value.constant(0));
    Expr index = select(isHere, rest, rest.integer(-1));
    total.value = total.value ? total.value + value : value;
    total.index = total.index ? maximum(total.index, index) : index;
  }
  return total;
}

Expr Pool::giveBack(Expr cotangent, Expr index) {
  int64_t candidates = 1;
  Places counts;
  bool isRegular = true;
  for (auto [dim, own] : llvm::enumerate(dims)) {
    isRegular &= !own.isAdaptive;
    counts.push_back(countCandidates(dim));
    candidates *= std::min(counts.back(), kMostPlaces + 1);
  }
  if (!isRegular || candidates > kMostPlaces) {
    Found found{cotangent, index};
    for (size_t dim = 0; dim < dims.size(); ++dim)
      found = giveBackAlong(found, dim);
    return found.value;
  }
  Expr own;
  for (auto [dim, along] : llvm::enumerate(dims)) {
    Expr part =
        scale(countAlong(along.size, first + static_cast<int64_t>(dim), rank),
              getRowSize(dim), 0);
    own = own ? own + part : part;
  }
  Expr total;
  forEachPlace(counts, [&](ArrayRef<int64_t> number) {
    Expr value = d.wide(seeBack(cotangent, number));
    Expr isHere = equal(seeBack(index, number), own);
    Expr next = select(isHere, value, value.constant(0));
    total = total ? total + next : next;
  });
  return total;
}

//===-- The ops -----------------------------------------------------------===//

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

SmallVector<Value>
MaxPoolGradientOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  PoolingWindows windows = getWindows();
  Expr dx =
      Pool(builder, d, windows).giveBack(d(getCotangent()), d(getIndex()));
  return {d.castTo(dx, elementOf(getResult()))};
}
