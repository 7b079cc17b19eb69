#include "mpc/Dialect/Graph/IR/Ops/Space/Taps.h"
#include "mpc/Dialect/Graph/IR/Ops/Constant.h"
#include "mpc/Dialect/Graph/IR/Ops/Elementwise.h"
#include "mpc/Dialect/Graph/IR/Ops/Indexing.h"
#include "mpc/Dialect/Graph/IR/Ops/Reduction.h"
#include <cmath>

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::expr;

/// More taps are a dim that is summed over.
static constexpr size_t kMostTerms = 8;

Taps Taps::transpose() const {
  Taps back{static_cast<int64_t>(results.size()), {}};
  back.results.resize(size);
  for (auto [to, taps] : llvm::enumerate(results))
    for (Tap tap : taps)
      back.results[tap.from].push_back({static_cast<int64_t>(to), tap.weight});
  return back;
}

//===-- Tables ------------------------------------------------------------===//

static Expr makeTable(mlir::ImplicitLocOpBuilder &b, Type element,
                      ArrayRef<double> numbers, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, element);
  auto make = [&](auto elements) -> Expr {
    return {b, ConstantOp::create(
                   b, mlir::DenseElementsAttr::get(type, ArrayRef(elements)))};
  };
  auto floats = dyn_cast<FloatType>(element);
  if (!floats)
    return make(llvm::map_to_vector(
        numbers, [](double number) { return static_cast<int32_t>(number); }));
  return make(llvm::map_to_vector(numbers, [&](double number) {
    llvm::APFloat value(number);
    bool losesBits = false;
    value.convert(floats.getFloatSemantics(),
                  llvm::APFloat::rmNearestTiesToEven, &losesBits);
    return value;
  }));
}

/// [1, ..., n, ..., 1] without the first ones.
static SmallVector<int64_t> shapeAlong(int64_t size, int64_t dim,
                                       int64_t rank) {
  SmallVector<int64_t> shape = {size};
  shape.append(rank - 1 - dim, 1);
  return shape;
}

Expr graph::makeAlong(mlir::ImplicitLocOpBuilder &builder, Type element,
                      ArrayRef<double> numbers, int64_t dim, int64_t rank) {
  return makeTable(builder, element, numbers,
                   shapeAlong(static_cast<int64_t>(numbers.size()), dim, rank));
}

static Expr gatherAlong(Expr x, int64_t dim, ArrayRef<int64_t> indices,
                        ArrayRef<int64_t> shape) {
  mlir::ImplicitLocOpBuilder &b = x.builder();
  SmallVector<double> numbers(indices.begin(), indices.end());
  Expr table = makeTable(b, b.getI32Type(), numbers, shape);
  return {b, GatherOp::create(b, x, table, dim,
                              /*padding_index=*/mlir::IntegerAttr())};
}

//===-- Elements along a dim ----------------------------------------------===//

/// The distance of `indices`, if it is even and positive.
static std::optional<int64_t> getStep(ArrayRef<int64_t> indices) {
  if (indices.size() == 1)
    return 1;
  int64_t step = indices[1] - indices[0];
  for (size_t i = 1; i < indices.size(); ++i)
    if (indices[i] - indices[i - 1] != step)
      return std::nullopt;
  return step > 0 ? std::optional(step) : std::nullopt;
}

/// (offset, spread) such that index i is (i + offset) / spread, rounded down.
static std::optional<std::pair<int64_t, int64_t>>
getRepeat(ArrayRef<int64_t> indices) {
  SmallVector<int64_t> runs = {1};
  for (size_t i = 1; i < indices.size(); ++i) {
    if (indices[i] == indices[i - 1])
      ++runs.back();
    else
      runs.push_back(1);
  }
  int64_t spread = runs.size() > 2 ? runs[1] : *llvm::max_element(runs);
  if (runs.front() > spread)
    return std::nullopt;
  int64_t offset = (indices[0] + 1) * spread - runs.front();
  for (auto [i, index] : llvm::enumerate(indices))
    if ((static_cast<int64_t>(i) + offset) / spread != index)
      return std::nullopt;
  return std::pair(offset, spread);
}

Expr graph::pickAlong(Expr x, int64_t dim, ArrayRef<int64_t> indices) {
  auto count = static_cast<int64_t>(indices.size());
  SmallVector<int64_t> offsets(x.rank(), 0), sizes(x.shape()),
      apart(x.rank(), 1);
  sizes[dim] = count;
  if (std::optional<int64_t> step = getStep(indices)) {
    if (count == x.shape()[dim] && *step == 1)
      return x;
    offsets[dim] = indices.front();
    apart[dim] = *step;
    return *step == 1 ? slice(x, offsets, sizes)
                      : slice(x, offsets, sizes, apart);
  }
  if (auto repeat = getRepeat(indices)) {
    offsets[dim] = repeat->first;
    apart[dim] = repeat->second;
    return window(x, {offsets, sizes, /*steps=*/{}, apart, /*repeats=*/true});
  }
  return gatherAlong(x, dim, indices, {count});
}

/// What each of the result is a copy of.
static SmallVector<int64_t> getCopied(const Taps &map) {
  return llvm::map_to_vector(
      map.results, [](ArrayRef<Tap> taps) { return taps.front().from; });
}

std::optional<WindowShape> graph::asWindow(ArrayRef<int64_t> shape,
                                           int64_t firstDim,
                                           ArrayRef<Taps> maps) {
  WindowShape window;
  window.offsets.assign(shape.size(), 0);
  llvm::append_range(window.sizes, shape);
  window.spread.assign(shape.size(), 1);
  window.repeats = true;
  for (auto [number, map] : llvm::enumerate(maps)) {
    size_t dim = firstDim + number;
    auto repeat = getRepeat(getCopied(map));
    if (!repeat)
      return std::nullopt;
    std::tie(window.offsets[dim], window.spread[dim]) = *repeat;
    window.sizes[dim] = static_cast<int64_t>(map.results.size());
  }
  return window;
}

Expr graph::pickAll(Expr x, int64_t firstDim, ArrayRef<Taps> maps) {
  if (std::optional<WindowShape> copies = asWindow(x.shape(), firstDim, maps))
    return window(x, *copies);
  for (auto [number, map] : llvm::enumerate(maps))
    x = pickAlong(x, firstDim + static_cast<int64_t>(number), getCopied(map));
  return x;
}

//===-- Sums of them ------------------------------------------------------===//

namespace {
/// What is read and how it is weighted, by result or by result and number.
struct Table {
  SmallVector<int64_t> indices;
  SmallVector<double> weights;

  /// A tap that there is not reads what another of the same result does.
  void add(ArrayRef<Tap> taps, size_t number) {
    bool isThere = number < taps.size();
    Tap tap = isThere ? taps[number] : taps.empty() ? Tap{0, 0} : taps.back();
    indices.push_back(tap.from);
    weights.push_back(isThere ? tap.weight : 0);
  }
};
} // namespace

/// `x` times `weights`, a constant that broadcasts to it.
static Expr weigh(Expr x, ArrayRef<double> weights,
                  function_ref<Expr()> makeWeights) {
  if (llvm::all_equal(weights))
    return weights.front() == 1 ? x : x * weights.front();
  Expr own = makeWeights();
  if (!llvm::is_contained(weights, 0.0))
    return x * own;
  bool isMask = llvm::all_of(
      weights, [](double weight) { return weight == 0 || weight == 1; });
  return select(notEqual(own, 0.0), isMask ? x : x * own, x.constant(0));
}

/// All taps along a dim of their own, which is summed over.
static Expr sumTaps(const Taps &map, Expr x, int64_t dim, size_t most,
                    Type element, StringAttr reason) {
  Table table;
  for (ArrayRef<Tap> taps : map.results)
    for (size_t number = 0; number < most; ++number)
      table.add(taps, number);
  SmallVector<int64_t> shape = {static_cast<int64_t>(map.results.size()),
                                static_cast<int64_t>(most)};
  Expr all = castTo(gatherAlong(x, dim, table.indices, shape), element, reason);
  SmallVector<int64_t> aligned(shape);
  aligned.append(x.rank() - 1 - dim, 1);
  Expr weighted = weigh(all, table.weights, [&] {
    return makeTable(x.builder(), element, table.weights, aligned);
  });
  return {x.builder(),
          SumOp::create(x.builder(), weighted, ArrayRef<int64_t>(dim + 1),
                        /*keep_dims=*/false, /*dtype=*/mlir::TypeAttr())};
}

//===-- Runs --------------------------------------------------------------===//

Expr graph::addRuns(Expr x, int64_t dim, int64_t count, int64_t distance) {
  constexpr int64_t kMostRun = 32;
  int64_t size = x.shape()[dim] + (count - 1) * distance;
  Expr total;
  // Adds `terms` of `from`, the first one `begin` before each sum.
  auto add = [&](Expr from, int64_t terms, int64_t begin, int64_t apart) {
    WindowShape shape;
    shape.offsets.assign(x.rank(), 0);
    llvm::append_range(shape.sizes, x.shape());
    shape.sizes[dim] = size;
    for (int64_t number = 0; number < terms; ++number) {
      shape.offsets[dim] = -begin - number * apart;
      Expr term = window(from, shape);
      total = total ? total + term : term;
    }
  };
  if (count <= kMostRun) {
    add(x, count, 0, distance);
    return total;
  }
  auto part = std::min(
      kMostRun, static_cast<int64_t>(std::ceil(std::sqrt(double(count)))));
  int64_t parts = count / part;
  total = addRuns(addRuns(x, dim, part, distance), dim, parts, part * distance);
  if (parts * part == count)
    return total;
  WindowShape whole;
  whole.offsets.assign(x.rank(), 0);
  llvm::append_range(whole.sizes, x.shape());
  whole.sizes[dim] = size;
  total = window(total, whole);
  add(x, count - parts * part, parts * part * distance, distance);
  return total;
}

//===-- Maps --------------------------------------------------------------===//

Expr Taps::apply(Expr x, int64_t dim, Type element, StringAttr reason) const {
  size_t most = 1;
  for (ArrayRef<Tap> taps : results)
    most = std::max(most, taps.size());
  if (most > kMostTerms)
    return sumTaps(*this, x, dim, most, element, reason);
  Expr total;
  for (size_t number = 0; number < most; ++number) {
    Table table;
    for (ArrayRef<Tap> taps : results)
      table.add(taps, number);
    Expr picked = castTo(pickAlong(x, dim, table.indices), element, reason);
    Expr term = weigh(picked, table.weights, [&] {
      return makeAlong(x.builder(), element, table.weights, dim, x.rank());
    });
    total = total ? total + term : term;
  }
  return total;
}
