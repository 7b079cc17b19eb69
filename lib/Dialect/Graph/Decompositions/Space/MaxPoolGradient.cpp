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
static int64_t countCandidates(const PoolingDim &own) {
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
static Expr seeBack(const Pool &pool, Expr x, ArrayRef<int64_t> number) {
  WindowShape shape;
  shape.offsets.assign(pool.rank, 0);
  llvm::append_range(shape.sizes, x.shape());
  shape.spread.assign(pool.rank, 1);
  shape.repeats = true;
  for (auto [dim, own] : llvm::enumerate(pool.dims)) {
    if (number[dim] < 0)
      continue;
    bool isOneOfAll = own.count <= countBefore(own);
    shape.offsets[pool.first + dim] =
        isOneOfAll ? number[dim] : own.low - number[dim] * own.stride;
    shape.sizes[pool.first + dim] = isOneOfAll ? 1 : own.size;
    shape.spread[pool.first + dim] = isOneOfAll ? 1 : own.stride;
  }
  return window(x, shape);
}

/// What of `from` comes to each element of dim `dim`, and to which of the other
/// dims: all windows that name it along this dim name one, that which was the
/// largest of its row.
static Found giveBackAlong(const Pool &pool, const Found &from, size_t dim) {
  const PoolingDim &own = pool.dims[dim];
  int64_t at = pool.getDim(dim), row = pool.getRowSize(dim);
  Expr begin = scaleAndShift(pool.countAlong(own.size, at, pool.rank), row, 0);
  std::optional<Taps> back;
  if (own.isAdaptive)
    back = own.getTaps().transpose();
  Found total;
  for (int64_t number = 0, e = countCandidates(own); number < e; ++number) {
    Found next;
    if (back) {
      // An index from outside reads as one that no element has.
      SmallVector<double> of;
      for (ArrayRef<Tap> windows : back->results)
        of.push_back(number < int64_t(windows.size())
                         ? static_cast<double>(windows[number].from)
                         : -1);
      Expr table = makeAlong(pool.b, pool.b.getI32Type(), of, 0, 1);
      auto gather = [&](Expr x) {
        return Expr(pool.b,
                    GatherOp::create(pool.b, x, table, at,
                                     /*padding_index=*/mlir::IntegerAttr()));
      };
      next = {gather(from.value), gather(from.index)};
    } else {
      Pool::Places along(pool.dims.size(), -1);
      along[dim] = number;
      next = {seeBack(pool, from.value, along),
              seeBack(pool, from.index, along)};
    }
    Expr rest = next.index - begin;
    Expr isHere = row == 1 ? equal(rest, rest.integer(0))
                           : both(greaterEqual(rest, rest.integer(0)),
                                  less(rest, rest.integer(row)));
    next.value = pool.d.wide(next.value);
    Expr value = select(isHere, next.value, next.value.constant(0));
    Expr index = select(isHere, rest, rest.integer(-1));
    total.value = total.value ? total.value + value : value;
    total.index = total.index ? maximum(total.index, index) : index;
  }
  return total;
}

/// The transpose of finding the largest, at `index`, wide.
static Expr giveBack(const Pool &pool, Expr cotangent, Expr index) {
  int64_t candidates = 1;
  Pool::Places counts;
  bool isRegular = true;
  for (auto [dim, own] : llvm::enumerate(pool.dims)) {
    isRegular &= !own.isAdaptive;
    counts.push_back(countCandidates(own));
    candidates *= std::min(counts.back(), kMostPlaces + 1);
  }
  if (!isRegular || candidates > kMostPlaces) {
    Found found{cotangent, index};
    for (size_t dim = 0; dim < pool.dims.size(); ++dim)
      found = giveBackAlong(pool, found, dim);
    return found.value;
  }
  Expr own;
  for (auto [dim, along] : llvm::enumerate(pool.dims)) {
    Expr part =
        scaleAndShift(pool.countAlong(along.size, pool.getDim(dim), pool.rank),
                      pool.getRowSize(dim), 0);
    own = own ? own + part : part;
  }
  Expr total;
  forEachPlace(counts, [&](ArrayRef<int64_t> number) {
    Expr value = pool.d.wide(seeBack(pool, cotangent, number));
    Expr isHere = equal(seeBack(pool, index, number), own);
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
      giveBack(Pool(builder, d, windows), d(getCotangent()), d(getIndex()));
  return {d.castTo(dx, elementOf(getResult()))};
}
