// Family Attention of the reference interpreter: by the definition, query by
// query, in f64.
#include "mpc/Dialect/Graph/IR/Ops/Attention.h"
#include "Reference/Families.h"
#include "Reference/Philox.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <complex>
#include <limits>

using namespace mpc;
using namespace mpc::reference;

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The tensors and numbers that forward and backward share.
struct Problem {
  const Tensor &q, &k, &v;
  const Tensor *mask;
  bool causal;
  std::optional<int64_t> window;
  double scale, softcap; ///< 0: not bounded.
  std::vector<size_t> maskMap;
  double dropout; ///< 0: none
  std::array<uint32_t, 2> key = {};
  uint32_t step = 0;

  template <typename Op>
  Problem(Op op, Operands in)
      : q(*in[0]), k(*in[1]), v(*in[2]), mask(op.getMask() ? in[3] : nullptr),
        causal(op.getCausal()), window(op.getWindow()),
        scale(op.getScale() ? op.getScale()->convertToDouble()
                            : 1 / std::sqrt(double(in[0]->shape[3]))),
        softcap(op.getSoftcap() ? op.getSoftcap()->convertToDouble() : 0),
        dropout(op.getDropout() ? op.getDropout()->convertToDouble() : 0) {
    if (dropout) {
      step = static_cast<uint32_t>(in[in.size() - 2]->ints[0]);
      key = {static_cast<uint32_t>(in.back()->ints[0]), *op.getStream()};
    }
    if (mask)
      maskMap =
          broadcastMap(mask->shape, {q.shape[0], heads(), queries(), keys()});
  }

  int64_t queries() const { return q.shape[1]; }
  int64_t keys() const { return k.shape[1]; }
  int64_t heads() const { return q.shape[2]; }
  /// Element 0 of the row at [b, t, h] of `tensor`; heads of keys are shared.
  static size_t row(const Tensor &tensor, int64_t b, int64_t t, int64_t h) {
    return ((b * tensor.shape[1] + t) * tensor.shape[2] + h) * tensor.shape[3];
  }
  int64_t keyHead(int64_t h) const { return h / (heads() / k.shape[2]); }
  size_t maskElement(int64_t b, int64_t h, int64_t i, int64_t j) const {
    return maskMap[((b * heads() + h) * queries() + i) * keys() + j];
  }

  static double dot(const Tensor &a, size_t i, const Tensor &b, size_t j) {
    double sum = 0;
    for (int64_t d = 0; d < a.shape[3]; ++d)
      sum += a.reals[i + d] * b.reals[j + d];
    return sum;
  }
  /// Before the mask.
  double score(int64_t b, int64_t h, int64_t i, int64_t j) const {
    double s = scale * dot(q, row(q, b, i, h), k, row(k, b, j, keyHead(h)));
    return softcap ? softcap * std::tanh(s / softcap) : s;
  }
  double masked(int64_t b, int64_t h, int64_t i, int64_t j) const {
    if ((causal && j > i) || (window && (i - j >= *window || j - i >= *window)))
      return -kInfinity;
    double s = score(b, h, i, j);
    if (!mask)
      return s;
    size_t element = maskElement(b, h, i, j);
    if (mask->isFloat())
      return s + mask->reals[element];
    return mask->ints[element] ? s : -kInfinity;
  }

  /// What dropout multiplies the weight of key `j` by.
  double factor(int64_t b, int64_t h, int64_t i, int64_t j) const {
    if (!dropout)
      return 1;
    int64_t group =
        ((b * heads() + h) * queries() + i) * ((keys() + 7) / 8) + j / 8;
    uint32_t word =
        philox4x32({static_cast<uint32_t>(group), step, 0, 2}, key)[j / 2 % 4];
    uint32_t half = (j % 2 ? word >> 16 : word & 0xFFFF) ^ 0x8000;
    double leftOut = std::round(dropout * 65536);
    return half < leftOut ? 0 : 65536 / (65536 - leftOut);
  }

  template <typename Fn> void forEachQuery(Fn fn) const {
    for (int64_t b = 0; b < q.shape[0]; ++b)
      for (int64_t h = 0; h < heads(); ++h)
        for (int64_t i = 0; i < queries(); ++i)
          fn(b, h, i);
  }
  /// The weights of a query's keys; `logSum` gets their log-sum-exp.
  std::vector<double> weights(int64_t b, int64_t h, int64_t i,
                              double &logSum) const {
    std::vector<double> w;
    double most = -kInfinity, sum = 0;
    for (int64_t j = 0; j < keys(); ++j) {
      w.push_back(masked(b, h, i, j));
      most = std::fmax(most, w.back());
    }
    logSum = -kInfinity;
    if (most == -kInfinity)
      return std::vector<double>(keys(), 0.0);
    for (double &x : w)
      sum += x = std::exp(x - most);
    for (double &x : w)
      x /= sum;
    logSum = most + std::log(sum);
    return w;
  }
};

Answer attend(graph::ScaledDotProductAttentionOp op, Operands in, Results out) {
  Problem p(op, in);
  p.forEachQuery([&](int64_t b, int64_t h, int64_t i) {
    double logSum;
    std::vector<double> w = p.weights(b, h, i, logSum);
    for (int64_t j = 0; j < p.keys(); ++j)
      for (int64_t d = 0; d < p.v.shape[3]; ++d)
        out[0].reals[p.row(out[0], b, i, h) + d] +=
            w[j] * p.factor(b, h, i, j) *
            p.v.reals[p.row(p.v, b, j, p.keyHead(h)) + d];
    out[1].reals[(b * p.heads() + h) * p.queries() + i] = logSum;
  });
  return success();
}

/// dw = dy . v;  ds = w (dw - sum w dw), through the bound and the scale
Answer attendBackward(graph::ScaledDotProductAttentionBackwardOp op,
                      Operands in, Results out) {
  Problem p(op, in);
  const Tensor &dy = *in[in.size() - 1 - (p.dropout ? 2 : 0)];
  p.forEachQuery([&](int64_t b, int64_t h, int64_t i) {
    double logSum, total = 0;
    std::vector<double> w = p.weights(b, h, i, logSum), dw;
    size_t row = p.row(dy, b, i, h), query = p.row(p.q, b, i, h);
    for (int64_t j = 0; j < p.keys(); ++j) {
      dw.push_back(p.factor(b, h, i, j) *
                   p.dot(dy, row, p.v, p.row(p.v, b, j, p.keyHead(h))));
      total += w[j] * dw[j];
    }
    for (int64_t j = 0; j < p.keys(); ++j) {
      size_t key = p.row(p.k, b, j, p.keyHead(h)),
             value = p.row(p.v, b, j, p.keyHead(h));
      for (int64_t d = 0; d < p.v.shape[3]; ++d)
        out[2].reals[value + d] +=
            w[j] * p.factor(b, h, i, j) * dy.reals[row + d];
      if (w[j] == 0)
        continue;
      double ds = w[j] * (dw[j] - total);
      if (op.getMaskGradient())
        out[3].reals[p.maskElement(b, h, i, j)] += ds;
      if (p.softcap) {
        double ratio = p.score(b, h, i, j) / p.softcap;
        ds *= 1 - ratio * ratio;
      }
      for (int64_t d = 0; d < p.q.shape[3]; ++d) {
        out[0].reals[query + d] += p.scale * ds * p.k.reals[key + d];
        out[1].reals[key + d] += p.scale * ds * p.q.reals[query + d];
      }
    }
  });
  return success();
}

/// Each pair as a complex number, times that of its angle.
Answer rotate(graph::RotaryEmbeddingOp op, Operands in, Results out) {
  const Tensor &x = *in[0];
  Shape pairs = x.shape;
  auto width = static_cast<size_t>(x.shape.back());
  auto turned = static_cast<size_t>(op.getRotaryWidthOrAll());
  pairs.back() = static_cast<int64_t>(turned / 2);
  auto angle = broadcastMap(in[1]->shape, pairs);
  out[0].reals = x.reals;
  for (size_t pair = 0; pair < angle.size(); ++pair) {
    size_t row = pair / (turned / 2) * width, d = pair % (turned / 2);
    size_t a = row + (op.getInterleaved() ? 2 * d : d);
    size_t b = op.getInterleaved() ? a + 1 : a + turned / 2;
    std::complex<double> turn(in[1]->reals[angle[pair]],
                              in[2]->reals[angle[pair]]);
    std::complex<double> y = turn * std::complex(x.reals[a], x.reals[b]);
    out[0].reals[a] = y.real();
    out[0].reals[b] = y.imag();
  }
  return success();
}
} // namespace

Answer reference::evaluateAttention(Operation *op, Operands in, Results out) {
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case<graph::ScaledDotProductAttentionOp>(
          [&](auto op) { return attend(op, in, out); })
      .Case<graph::ScaledDotProductAttentionBackwardOp>(
          [&](auto op) { return attendBackward(op, in, out); })
      .Case<graph::RotaryEmbeddingOp>(
          [&](auto op) { return rotate(op, in, out); })
      .Default([](Operation *) { return std::nullopt; });
}
