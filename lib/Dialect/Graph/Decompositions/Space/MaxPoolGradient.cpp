// Family Pooling: back to where the largest elements were.
#include "Pool.h"
#include "mpc/Dialect/Graph/IR/Ops/Indexing.h"
#include "llvm/Support/MathExtras.h"

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::expr;

/// Windows that may have an element, from the last one that begins in front of
/// it on.
static int64_t countBefore(const PoolingDim &dim) {
  return static_cast<int64_t>(llvm::divideCeil(dim.getReach(), dim.stride));
}

/// How many windows an element of dim `dim` looks at.
int64_t Pool::countCandidates(size_t dim) const {
  const PoolingDim &own = dims[dim];
  if (!own.isAdaptive)
    return std::min(own.count, countBefore(own));
  Taps back = own.getTaps().transpose();
  size_t most = 1;
  for (ArrayRef<Tap> of : back.results)
    most = std::max(most, of.size());
  return static_cast<int64_t>(most);
}

/// Of each element of the input the last window that may have it, or the one
/// that is `number` before that. None is all zeros. Where there are no more
/// windows than that, it is window `number`, for all elements.
Expr Pool::seeBack(Expr x, ArrayRef<int64_t> number) const {
  WindowShape shape;
  shape.offsets.assign(rank, 0);
  llvm::append_range(shape.sizes, x.shape());
  shape.spread.assign(rank, 1);
  shape.repeats = true;
  for (auto [dim, own] : llvm::enumerate(dims)) {
    if (number[dim] < 0)
      continue;
    bool isOneOfAll = own.count <= countBefore(own);
    shape.offsets[first + dim] =
        isOneOfAll ? number[dim] : own.low - number[dim] * own.stride;
    shape.sizes[first + dim] = isOneOfAll ? 1 : own.size;
    shape.spread[first + dim] = isOneOfAll ? 1 : own.stride;
  }
  return window(x, shape);
}

/// What of `from` comes to each element of dim `dim`, and to which of the other
/// dims: all windows that name it along this dim name one, that which was the
/// largest of its row.
Found Pool::giveBackAlong(const Found &from, size_t dim) const {
  const PoolingDim &own = dims[dim];
  int64_t at = first + static_cast<int64_t>(dim), row = getRowSize(dim);
  Expr begin = scaleAndShift(countAlong(own.size, at, rank), row, 0);
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
    Expr part = scaleAndShift(
        countAlong(along.size, first + static_cast<int64_t>(dim), rank),
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

SmallVector<Value>
MaxPoolGradientOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  PoolingWindows windows = getWindows();
  Expr dx =
      Pool(builder, d, windows).giveBack(d(getCotangent()), d(getIndex()));
  return {d.castTo(dx, elementOf(getResult()))};
}
