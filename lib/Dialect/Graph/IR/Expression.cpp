#include "mpc/Dialect/Graph/IR/Expression.h"
#include "mpc/Dialect/Graph/IR/Ops/Activation.h"
#include "mpc/Dialect/Graph/IR/Ops/Cast.h"
#include "mpc/Dialect/Graph/IR/Ops/Constant.h"
#include "mpc/Dialect/Graph/IR/Ops/Contraction.h"
#include "mpc/Dialect/Graph/IR/Ops/Elementwise.h"
#include "mpc/Dialect/Graph/IR/Ops/Normalization.h"
#include "mpc/Dialect/Graph/IR/Ops/Reduction.h"
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"
#include "mpc/Dialect/Graph/IR/Ops/Step/Collective.h"
#include <limits>

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::expr;

static Expr splat(mlir::ImplicitLocOpBuilder &b, Attribute number,
                  Type element) {
  auto type = RankedTensorType::get({}, element);
  return {b, ConstantOp::create(b, mlir::DenseElementsAttr::get(type, number))};
}

Expr expr::constant(mlir::ImplicitLocOpBuilder &b, Type element,
                    double number) {
  if (isa<FloatType>(element))
    return splat(b, b.getFloatAttr(element, number), element);
  return splat(b, b.getIntegerAttr(element, int64_t(number)), element);
}

Expr Expr::constant(double number) const {
  if (!v)
    return {};
  return expr::constant(*b, elementType(), number);
}

Expr Expr::integer(int64_t number) const {
  if (!v)
    return {};
  return splat(*b, b->getIntegerAttr(elementType(), number), elementType());
}

template <typename Arg> static bool isMissing(const Arg &arg) {
  if constexpr (std::is_same_v<Arg, Expr>)
    return !arg;
  return false;
}

/// No value where an operand is none: who reads what strangers wrote refuses an
/// op, and the formula that it stands in has no value then.
template <typename Op, typename... Args>
static Expr build(Expr x, Args &&...args) {
  if (!x || (isMissing<std::decay_t<Args>>(args) || ...))
    return {};
  return {x.builder(),
          Op::create(x.builder(), std::forward<Args>(args)...)->getResult(0)};
}

namespace mpc::graph::expr {

Expr operator+(Expr a, Expr b) { return build<AddOp>(a, a, b); }
Expr operator-(Expr a, Expr b) { return build<SubOp>(a, a, b); }
Expr operator*(Expr a, Expr b) { return build<MulOp>(a, a, b); }
Expr operator/(Expr a, Expr b) { return build<DivOp>(a, a, b); }
Expr operator-(Expr a) { return build<NegOp>(a, a); }
Expr operator+(Expr a, double b) { return a + a.constant(b); }
Expr operator-(Expr a, double b) { return a - a.constant(b); }
Expr operator*(Expr a, double b) { return a * a.constant(b); }
Expr operator/(Expr a, double b) { return a / a.constant(b); }
Expr operator+(double a, Expr b) { return b.constant(a) + b; }
Expr operator-(double a, Expr b) { return b.constant(a) - b; }
Expr operator*(double a, Expr b) { return b.constant(a) * b; }
Expr operator/(double a, Expr b) { return b.constant(a) / b; }

Expr abs(Expr x) { return build<AbsOp>(x, x); }
Expr sign(Expr x) { return build<SignOp>(x, x); }
Expr exp(Expr x) { return build<ExpOp>(x, x); }
Expr log(Expr x) { return build<LogOp>(x, x); }
Expr sqrt(Expr x) { return build<SqrtOp>(x, x); }
Expr rsqrt(Expr x) { return build<RsqrtOp>(x, x); }
Expr erf(Expr x) { return build<ErfOp>(x, x); }
Expr tanh(Expr x) { return build<TanhOp>(x, x); }
Expr sin(Expr x) { return build<SinOp>(x, x); }
Expr cos(Expr x) { return build<CosOp>(x, x); }
Expr sigmoid(Expr x) { return build<SigmoidOp>(x, x); }
Expr softplus(Expr x) {
  return x ? build<SoftplusOp>(x, x.type(), x, llvm::APFloat(1.0)) : Expr();
}
Expr pow(Expr base, Expr exponent) {
  return build<PowOp>(base, base, exponent);
}
Expr maximum(Expr a, Expr b) { return build<MaximumOp>(a, a, b); }
Expr maximum(Expr a, double b) { return maximum(a, a.constant(b)); }
Expr minimum(Expr a, Expr b) { return build<MinimumOp>(a, a, b); }
Expr minimum(Expr a, double b) { return minimum(a, a.constant(b)); }

Expr equal(Expr a, Expr b) {
  return build<CompareOp>(a, ComparePredicate::Eq, a, b);
}
Expr equal(Expr a, double b) { return equal(a, a.constant(b)); }
Expr notEqual(Expr a, Expr b) {
  return build<CompareOp>(a, ComparePredicate::Ne, a, b);
}
Expr notEqual(Expr a, double b) { return notEqual(a, a.constant(b)); }
Expr less(Expr a, Expr b) {
  return build<CompareOp>(a, ComparePredicate::Lt, a, b);
}
Expr less(Expr a, double b) { return less(a, a.constant(b)); }
Expr lessEqual(Expr a, Expr b) {
  return build<CompareOp>(a, ComparePredicate::Le, a, b);
}
Expr greater(Expr a, Expr b) {
  return build<CompareOp>(a, ComparePredicate::Gt, a, b);
}
Expr greater(Expr a, double b) { return greater(a, a.constant(b)); }
Expr greaterEqual(Expr a, Expr b) {
  return build<CompareOp>(a, ComparePredicate::Ge, a, b);
}
Expr select(Expr condition, Expr onTrue, Expr onFalse) {
  return build<SelectOp>(condition, condition, onTrue, onFalse);
}
Expr isFinite(Expr x) {
  return less(abs(x), std::numeric_limits<double>::infinity());
}
Expr either(Expr a, Expr b) {
  if (!a || !b)
    return a ? a : b;
  return select(a, a, b);
}
Expr both(Expr a, Expr b) { return select(a, b, b.constant(0)); }

Expr sum(Expr x, ArrayRef<int64_t> dims) {
  return build<SumOp>(x, x, dims, /*keep_dims=*/true,
                      /*dtype=*/mlir::TypeAttr());
}
Expr mean(Expr x, ArrayRef<int64_t> dims) {
  return build<MeanOp>(x, x, dims, /*keep_dims=*/true,
                       /*dtype=*/mlir::TypeAttr());
}
Expr max(Expr x, ArrayRef<int64_t> dims) {
  return build<MaxOp>(x, x, dims, /*keep_dims=*/true);
}

/// The first of the last dims that are folded first, in which there are
/// `leastRow` elements or more, if there are so many behind the first dim.
static int64_t getFirstOfRow(ArrayRef<int64_t> shape, int64_t leastRow) {
  int64_t first = static_cast<int64_t>(shape.size()) - 1;
  int64_t length = shape[first];
  while (first > 1 && length < leastRow)
    length *= shape[--first];
  return first;
}

/// Folds the last dims, then the others, with `fold(value, dims)`.
static Expr foldAll(Expr x, int64_t leastRow,
                    function_ref<Expr(Expr, ArrayRef<int64_t>)> fold) {
  if (x.rank() == 0)
    return x;
  int64_t first = getFirstOfRow(x.shape(), leastRow);
  x = fold(x, dimsFrom(first, x.rank()));
  return first == 0 ? x : fold(x, dimsFrom(0, first));
}
Expr sumAll(Expr x, int64_t leastRow) {
  return foldAll(x, leastRow, [](Expr part, ArrayRef<int64_t> dims) {
    return build<SumOp>(part, part, dims, /*keep_dims=*/false,
                        /*dtype=*/mlir::TypeAttr());
  });
}
Expr maxAll(Expr x, int64_t leastRow) {
  return foldAll(x, leastRow, [](Expr part, ArrayRef<int64_t> dims) {
    return build<MaxOp>(part, part, dims, /*keep_dims=*/false);
  });
}

Expr softmax(Expr x, int64_t dim) {
  return build<SoftmaxOp>(x, x, static_cast<uint64_t>(dim), mlir::TypeAttr());
}

Expr logSoftmax(Expr x, int64_t dim) {
  return build<LogSoftmaxOp>(x, x, static_cast<uint64_t>(dim),
                             mlir::TypeAttr());
}

Expr reshape(Expr x, ArrayRef<int64_t> shape) {
  if (x.shape() == shape)
    return x;
  return build<ReshapeOp>(x, x.type().clone(shape), x);
}
Expr broadcast(Expr x, ArrayRef<int64_t> shape) {
  if (x.shape() == shape)
    return x;
  return build<BroadcastOp>(x, x.type().clone(shape), x);
}
Expr transpose(Expr x, ArrayRef<int64_t> permutation) {
  return build<TransposeOp>(x, x, permutation);
}
Expr slice(Expr x, ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes) {
  return build<SliceOp>(x, x, offsets, sizes, mlir::DenseI64ArrayAttr());
}
Expr slice(Expr x, ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes,
           ArrayRef<int64_t> steps) {
  return build<SliceOp>(x, x, offsets, sizes,
                        x.builder().getDenseI64ArrayAttr(steps));
}
/// Element j * spread + r is element i * steps + offsets. r is 0, or all that
/// is less than the spread if elements repeat.
Expr seeBack(Expr y, const WindowShape &shape, ArrayRef<int64_t> sizes,
             function_ref<Expr(Expr)> widen) {
  size_t rank = shape.offsets.size();
  SmallVector<int64_t> ones(rank, 1), rest(rank, 0);
  ArrayRef<int64_t> spread = shape.spread.empty() ? ones : shape.spread;
  WindowShape back{{},
                   SmallVector<int64_t>(sizes),
                   SmallVector<int64_t>(spread),
                   shape.steps.empty() ? ones : shape.steps};
  Expr total;
  for (size_t dim = rank; dim > 0 || !total;) {
    back.offsets = llvm::map_to_vector(
        llvm::zip_equal(rest, shape.offsets),
        [](auto pair) { return std::get<0>(pair) - std::get<1>(pair); });
    Expr copies = widen ? widen(window(y, back)) : window(y, back);
    total = total ? total + copies : copies;
    dim = shape.repeats ? rank : 0;
    while (dim > 0 && ++rest[dim - 1] == spread[dim - 1])
      rest[--dim] = 0;
  }
  return total;
}
Expr window(Expr x, const WindowShape &shape) {
  // Nothing where all are 1, as who writes by hand would have it.
  auto numbers = [&](ArrayRef<int64_t> all) {
    bool isUsual =
        llvm::all_of(all, [](int64_t number) { return number == 1; });
    return isUsual ? mlir::DenseI64ArrayAttr()
                   : x.builder().getDenseI64ArrayAttr(all);
  };
  return build<WindowOp>(x, x, shape.offsets, shape.sizes, numbers(shape.steps),
                         numbers(shape.spread), shape.repeats, shape.isLowest);
}
Expr pad(Expr x, ArrayRef<int64_t> low, ArrayRef<int64_t> high) {
  return build<PadOp>(x, x, low, high);
}
Expr matmul(Expr a, bool transposeA, Expr b, bool transposeB) {
  return build<MatmulOp>(a, a, b, Value(), transposeA, transposeB,
                         mlir::TypeAttr());
}

SmallVector<Expr> sumsOverRanks(ArrayRef<Expr> values) {
  mlir::ImplicitLocOpBuilder &b = values.front().builder();
  SmallVector<Value> inputs(values.begin(), values.end());
  SmallVector<Expr> sums;
  for (Value sum : SumOverRanksOp::create(b, inputs, "data").getResults())
    sums.emplace_back(b, sum);
  return sums;
}
Expr countRanks(mlir::ImplicitLocOpBuilder &b, Type element) {
  auto type = RankedTensorType::get({1}, element);
  auto one = mlir::DenseElementsAttr::get(type, b.getFloatAttr(element, 1.0));
  return sumsOverRanks({{b, ConstantOp::create(b, one)}}).front();
}

Expr castTo(Expr x, Type element, StringAttr reason) {
  if (x.elementType() == element)
    return x;
  return build<CastOp>(x, RankedTensorType::get(x.shape(), element), x, reason);
}
SmallVector<int64_t> dimsFrom(int64_t first, int64_t rank) {
  return llvm::to_vector(llvm::seq<int64_t>(first, rank));
}

} // namespace mpc::graph::expr
