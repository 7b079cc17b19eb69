// Family Attention: formulas, with the scores in memory. Scores have the dims
// batch, head, query, key; where heads of keys are shared, the heads of queries
// are two dims, that of the keys and one in the group.
#include "mpc/Dialect/Graph/IR/Ops/Attention.h"
#include "Draw.h"
#include "mpc/Dialect/Graph/IR/Ops/Contraction.h"
#include "mpc/Dialect/Graph/IR/Ops/Shape.h"
#include <cmath>
#include <limits>

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::expr;
using mlir::getElementTypeOrSelf;

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// lhs * rhs, with the flags of a matmul, in `element`.
Expr multiply(Expr lhs, bool transposeLhs, Expr rhs, bool transposeRhs,
              Type element) {
  return {lhs.builder(),
          MatmulOp::create(lhs.builder(), lhs, rhs, Value(), transposeLhs,
                           transposeRhs, mlir::TypeAttr::get(element))};
}

template <typename Op> class Attention {
public:
  Attention(mlir::ImplicitLocOpBuilder &builder, Op op)
      : b(builder), d(builder, op), op(op), group(op.getGroupSize()),
        element(getElementTypeOrSelf(op.getQuery())),
        wide(getComputeType(element)) {}

  /// [batch, time, heads of queries, width] -> [batch, heads, time, width], or
  /// [batch, heads of keys, group, time, width].
  Expr ofQueries(Value tensor) {
    return split(transpose(d(tensor), {0, 2, 1, 3}));
  }
  /// The same of keys and values, which all heads of a group share.
  Expr ofKeys(Value tensor) {
    Expr x = transpose(d(tensor), {0, 2, 1, 3});
    SmallVector<int64_t> shape(x.shape());
    if (group > 1)
      shape.insert(shape.begin() + 2, 1);
    return reshape(x, shape);
  }
  /// [batch, heads of queries, ...] with the heads as two dims.
  Expr split(Expr x) {
    SmallVector<int64_t> shape(x.shape());
    if (group > 1) {
      bool isOne = shape[1] == 1; // of a mask
      shape[1] = isOne ? 1 : shape[1] / group;
      shape.insert(shape.begin() + 2, isOne ? 1 : group);
    }
    return reshape(x, shape);
  }
  /// The reverse of ofQueries, in the type of the op's operands.
  Expr toQueries(Expr x, Value like) {
    auto type = cast<RankedTensorType>(like.getType());
    ArrayRef<int64_t> shape = type.getShape();
    Expr heads = reshape(x, {shape[0], shape[2], shape[1], shape[3]});
    return d.castTo(transpose(heads, {0, 2, 1, 3}), type.getElementType());
  }
  /// The reverse of ofKeys, summed over the group.
  Expr toKeys(Expr x, Value like) {
    return toQueries(group > 1 ? sum(x, {2}) : x, like);
  }
  /// Numbers of queries, [batch, head, query], beside the scores.
  Expr ofRows(Value rows) {
    Expr x = split(d(rows));
    SmallVector<int64_t> shape(x.shape());
    shape.push_back(1);
    return reshape(x, shape);
  }

  /// Scaled and bounded products of queries and keys.
  Expr makeScores() {
    Expr s = multiply(ofQueries(op.getQuery()), false, ofKeys(op.getKey()),
                      true, wide) *
             op.getScaleOrDefault();
    if (!op.getSoftcap())
      return s;
    double cap = op.getSoftcap()->convertToDouble();
    return tanh(s / cap) * cap;
  }
  /// Scores with -inf where a query does not see a key.
  Expr maskScores(Expr s) {
    if (Value mask = op.getMask()) {
      Expr m = split(reshape(d(mask), getMaskShape()));
      s = m.elementType().isInteger(1) ? select(m, s, s.constant(-kInfinity))
                                       : s + d.castTo(m, wide);
    }
    if (Expr seen = findSeen())
      s = select(seen, s, s.constant(-kInfinity));
    return s;
  }
  /// 0 for weights that are left out, 1 / (1 - dropout) for the others. Eight
  /// keys have the halves of four words.
  Expr drawFactors() {
    int64_t keys = timeOf(op.getKey());
    auto query = cast<RankedTensorType>(op.getQuery().getType());
    SmallVector<int64_t> shape = {query.getDimSize(0), query.getDimSize(2),
                                  query.getDimSize(1), (keys + 7) / 8};
    PhiloxOp bits =
        drawBits(d, b, shape, op.getRandomKey()[0], op.getRandomKey()[1],
                 *op.getStream(), Use::Attention);
    shape.push_back(1);
    SmallVector<Value> halves; // each the highest bits of a word
    for (Value result : bits->getResults()) {
      Expr word = d(result);
      halves.push_back(reshape(word * word.integer(0x10000), shape));
      halves.push_back(reshape(word, shape));
    }
    Expr half = d(ConcatOp::create(b, halves, int64_t(shape.size() - 1)));
    shape.pop_back();
    shape.back() *= 8;
    half = reshape(half, shape);
    shape.back() = keys;
    if (keys % 8 != 0)
      half = slice(half, {0, 0, 0, 0}, shape);
    double leftOut = std::round(op.getDropout()->convertToDouble() * 0x1p16);
    auto bound = static_cast<int64_t>(leftOut * 0x1p16 - 0x1p31);
    Expr kept = d.constant(wide, 1 / (1 - leftOut * 0x1p-16));
    return split(
        select(less(half, half.integer(bound)), kept.constant(0), kept));
  }
  /// Weights, or their cotangents, with what dropout does to them.
  Expr dropOut(Expr weights) {
    return op.draws() ? weights * drawFactors() : weights;
  }
  /// Products of `lhs`, numbers per query and key, and `rhs`, rows of queries,
  /// for each key.
  Expr sumOverQueries(Expr lhs, Expr rhs) {
    return multiply(lhs, true, rhs, false, wide);
  }
  /// A factor of a product, in the type of the operands.
  Expr narrow(Expr x) { return d.castTo(x, element); }
  /// With four dims: 1 where there is none.
  SmallVector<int64_t> getMaskShape() {
    auto type = cast<RankedTensorType>(op.getMask().getType());
    SmallVector<int64_t> shape(4 - type.getRank(), 1);
    llvm::append_range(shape, type.getShape());
    return shape;
  }

  mlir::ImplicitLocOpBuilder &b;
  Decomposition d;
  Op op;
  int64_t group;
  Type element, wide;

private:
  /// Which keys queries see, [query, key], or no value: all.
  Expr findSeen() {
    int64_t queries = timeOf(op.getQuery()), keys = timeOf(op.getKey());
    int64_t longest = std::max(queries, keys);
    // One that is wider than all there is bounds nothing, and may be more than
    // an index holds.
    int64_t window = op.getWindow() ? int64_t(*op.getWindow()) : longest;
    bool hasWindow = window < longest;
    if (!op.getCausal() && !hasWindow)
      return {};
    auto type = RankedTensorType::get({queries, keys}, b.getI32Type());
    Expr i = d(IotaOp::create(b, type, 0)), j = d(IotaOp::create(b, type, 1));
    Expr seen = op.getCausal() ? lessEqual(j, i) : Expr();
    if (!hasWindow)
      return seen;
    Expr near = less(i - j, i.integer(window));
    return both(near, seen ? seen : less(j - i, i.integer(window)));
  }
  static int64_t timeOf(Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getDimSize(1);
  }
};
} // namespace

/// P = exp(s - max s), 0 in a row that sees nothing;  result = D (P / sum P) v,
/// where D is 0 where dropout leaves out, 1 / (1 - dropout) elsewhere;
/// logsumexp = max s + log(sum P)
SmallVector<Value>
ScaledDotProductAttentionOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Attention a(builder, *this);
  Expr s = a.maskScores(a.makeScores());
  int64_t last = s.rank() - 1;
  Expr most = max(s, {last});
  most = select(equal(most, -kInfinity), most.constant(0), most);
  Expr powers = exp(s - most);
  Expr total = sum(powers, {last});
  Expr divisor = select(equal(total, 0.0), total.constant(1), total);
  Expr mean = multiply(a.narrow(a.dropOut(powers * (1.0 / divisor))), false,
                       a.ofKeys(getValue()), false, a.element);
  Expr logSum =
      reshape(most + log(total),
              cast<RankedTensorType>(getLogsumexp().getType()).getShape());
  return {a.toQueries(mean, getResult()), logSum};
}

/// P = exp(s - logsumexp), 0 in a row that sees nothing;  dv = (D P)^T dy;
/// ds = P (D dy v^T - sum dy y), and where scores are bounded by c times
/// 1 - (s / c)^2;  dq = scale ds k;  dk = scale ds^T q
SmallVector<Value> ScaledDotProductAttentionBackwardOp::decompose(
    mlir::ImplicitLocOpBuilder &builder) {
  Attention a(builder, *this);
  Expr bounded = a.makeScores();
  Expr s = a.maskScores(bounded);
  Expr logSum = a.ofRows(getLogsumexp());
  logSum = select(equal(logSum, -kInfinity), logSum.constant(0), logSum);
  Expr weights = exp(s - logSum);
  Expr dy = a.ofQueries(getCotangent());
  Expr dv = a.sumOverQueries(a.narrow(a.dropOut(weights)), dy);

  int64_t last = s.rank() - 1;
  Expr dots = sum(a.d.wide(dy) * a.d.wide(a.ofQueries(getResult())), {last});
  Expr dweights =
      a.dropOut(multiply(dy, false, a.ofKeys(getValue()), true, a.wide));
  Expr dmasked = weights * (dweights - dots);
  Expr ds = dmasked;
  if (getSoftcap()) {
    Expr ratio = bounded / getSoftcap()->convertToDouble();
    ds = ds * (1.0 - ratio * ratio);
  }
  ds = a.narrow(ds * getScaleOrDefault());
  Expr dq = multiply(ds, false, a.ofKeys(getKey()), false, a.element);
  Expr dk = a.sumOverQueries(ds, a.ofQueries(getQuery()));
  SmallVector<Value> results = {a.toQueries(dq, getQueryGradient()),
                                a.toKeys(dk, getKeyGradient()),
                                a.toKeys(dv, getValueGradient())};
  if (!getMaskGradient())
    return results;
  SmallVector<int64_t> shape = a.getMaskShape(), dims;
  ArrayRef<int64_t> query = getQuery().getType().getShape();
  Expr dmask = reshape(dmasked, {query[0], query[2], query[1],
                                 getKey().getType().getDimSize(1)});
  for (auto [dim, size] : llvm::enumerate(shape))
    if (size == 1 && dmask.shape()[dim] != 1)
      dims.push_back(int64_t(dim));
  auto mask = cast<RankedTensorType>(getMask().getType());
  dmask = dims.empty() ? dmask : sum(dmask, dims);
  results.push_back(
      a.d.castTo(reshape(dmask, mask.getShape()), mask.getElementType()));
  return results;
}

//===-- Rotary embedding --------------------------------------------------===//

namespace {
/// The last dim of a tensor as pairs and what is not turned.
struct Pairs {
  Expr first, second; ///< [..., rotary_width / 2]
  Expr rest;          ///< [..., width - rotary_width]; no value if that is 0.
};

Expr sliceLast(Expr x, int64_t offset, int64_t size) {
  SmallVector<int64_t> offsets(x.rank(), 0), sizes(x.shape());
  offsets.back() = offset;
  sizes.back() = size;
  return slice(x, offsets, sizes);
}

Pairs takePairs(Expr x, int64_t turned, bool isInterleaved) {
  int64_t half = turned / 2, width = x.shape().back();
  Pairs pairs;
  if (turned < width)
    pairs.rest = sliceLast(x, turned, width - turned);
  if (!isInterleaved) {
    pairs.first = sliceLast(x, 0, half);
    pairs.second = sliceLast(x, half, half);
    return pairs;
  }
  SmallVector<int64_t> one(x.shape()), two = one;
  one.back() = half;
  two.back() = half;
  two.push_back(2);
  Expr beside = reshape(sliceLast(x, 0, turned), two);
  pairs.first = reshape(sliceLast(beside, 0, 1), one);
  pairs.second = reshape(sliceLast(beside, 1, 1), one);
  return pairs;
}

Expr joinPairs(const Pairs &pairs, bool isInterleaved) {
  mlir::ImplicitLocOpBuilder &b = pairs.first.builder();
  auto join = [&](SmallVector<Value> parts) {
    int64_t dim = cast<RankedTensorType>(parts[0].getType()).getRank() - 1;
    return Expr(b, ConcatOp::create(b, parts, dim));
  };
  Expr turned;
  if (isInterleaved) {
    SmallVector<int64_t> one(pairs.first.shape()), all = one;
    one.push_back(1);
    all.back() *= 2;
    turned = reshape(
        join({reshape(pairs.first, one), reshape(pairs.second, one)}), all);
  } else {
    turned = join({pairs.first, pairs.second});
  }
  return pairs.rest ? join({turned, pairs.rest}) : turned;
}
} // namespace

/// (a cos - b sin, b cos + a sin)
SmallVector<Value>
RotaryEmbeddingOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Type element = elementOf(getResult());
  Expr cosine = d.wide(getCos(), element), sine = d.wide(getSin(), element);
  Pairs x = takePairs(d.wide(getInput(), element), getRotaryWidthOrAll(),
                      getInterleaved());
  Pairs y = {x.first * cosine - x.second * sine,
             x.second * cosine + x.first * sine, x.rest};
  return {d.castTo(joinPairs(y, getInterleaved()), element)};
}
