#include "kernels/Attention/Draws.h"
#include "kernels/Attention/Reference.h"
#include "kernels/Formats.h"

#include <cmath>
#include <limits>

using namespace mpc;
using namespace mpc::kernels;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

static double readAt(const void *data, DType type, int64_t at) {
  switch (type) {
  case DType::F32:
    return static_cast<const float *>(data)[at];
  case DType::F16:
    return widen(static_cast<const Half *>(data)[at]);
  case DType::BF16:
    return widen(static_cast<const BFloat *>(data)[at]);
  default:
    return static_cast<const uint8_t *>(data)[at];
  }
}

namespace {
/// One head of queries.
class HeadReference {
public:
  HeadReference(const AttentionProblem &problem, int64_t batch, int64_t head)
      : problem(problem), batch(batch), head(head),
        keyHead(head / (problem.heads / problem.keyHeads)) {}

  double query(int64_t i, int64_t c) const {
    return at(problem.query, i, head, c);
  }
  double key(int64_t j, int64_t c) const {
    return at(problem.key, j, keyHead, c);
  }
  double value(int64_t j, int64_t c) const {
    return at(problem.value, j, keyHead, c);
  }
  double result(int64_t i, int64_t c) const {
    return at(problem.result, i, head, c);
  }
  double cotangent(int64_t i, int64_t c) const {
    return at(problem.cotangent, i, head, c);
  }

  /// After the mask; `slope` is that of the bound.
  double score(int64_t i, int64_t j, double &slope) const;
  /// What dropout multiplies a weight by.
  double factor(int64_t i, int64_t j) const;

  /// Of the query in a dense [batch, head, query].
  int64_t row(int64_t i) const {
    return (batch * problem.heads + head) * problem.queries + i;
  }
  /// Of element 0 in a dense [batch, time, head, width].
  int64_t ofQuery(int64_t i, int64_t width) const {
    return ((batch * problem.queries + i) * problem.heads + head) * width;
  }
  int64_t ofKey(int64_t j, int64_t width) const {
    return ((batch * problem.keys + j) * problem.keyHeads + keyHead) * width;
  }

private:
  double at(const HeadRows &rows, int64_t time, int64_t own, int64_t c) const {
    return readAt(rows.data, problem.type,
                  batch * rows.batch + time * rows.time + own * rows.head + c);
  }

  const AttentionProblem &problem;
  int64_t batch, head, keyHead;
};
} // namespace

double HeadReference::score(int64_t i, int64_t j, double &slope) const {
  double s = 0;
  for (int64_t c = 0; c < problem.width; ++c)
    s += query(i, c) * key(j, c);
  s *= problem.scale;
  slope = 1;
  if (problem.softcap != 0) {
    double ratio = std::tanh(s / problem.softcap);
    s = problem.softcap * ratio;
    slope = 1 - ratio * ratio;
  }
  bool isAway = problem.window && std::abs(i - j) >= problem.window;
  if (isAway || (problem.causal && j > i))
    return -kInfinity;
  const AttentionMask &mask = problem.mask;
  if (!mask.data)
    return s;
  double own = readAt(mask.data, mask.type,
                      batch * mask.batch + head * mask.head + i * mask.query +
                          j * mask.key);
  if (mask.type == DType::I1)
    return own != 0 ? s : -kInfinity;
  return s + own;
}

double HeadReference::factor(int64_t i, int64_t j) const {
  if (!problem.dropout.leftOut)
    return 1;
  uint8_t kept = drawKept(problem, static_cast<uint32_t>(row(i)),
                          static_cast<uint32_t>(j / 8));
  return kept >> j % 8 & 1 ? 1 / (1 - problem.dropout.leftOut * 0x1p-16) : 0;
}

static ReferenceValues makeValues(int64_t count) {
  ReferenceValues made;
  made.values.resize(static_cast<size_t>(count));
  made.terms.resize(static_cast<size_t>(count));
  return made;
}

static void add(ReferenceValues &to, int64_t at, double term, double size) {
  to.values[static_cast<size_t>(at)] += term;
  to.terms[static_cast<size_t>(at)] += std::abs(size);
}

/// Calls `visit` with each head, and each of its queries.
template <typename Visit>
static void forEachQuery(const AttentionProblem &problem, Visit visit) {
  for (int64_t b = 0; b < problem.batch; ++b)
    for (int64_t h = 0; h < problem.heads; ++h) {
      HeadReference head(problem, b, h);
      for (int64_t i = 0; i < problem.queries; ++i)
        visit(head, i);
    }
}

ReferenceForward kernels::referenceForward(const AttentionProblem &problem) {
  int64_t rows = problem.batch * problem.heads * problem.queries;
  ReferenceForward made;
  made.result = makeValues(rows * problem.valueWidth);
  made.logSumExp.assign(static_cast<size_t>(rows), -kInfinity);
  std::vector<double> weights(static_cast<size_t>(problem.keys));
  forEachQuery(problem, [&](const HeadReference &head, int64_t i) {
    double most = -kInfinity, sum = 0, slope;
    for (int64_t j = 0; j < problem.keys; ++j)
      most = std::max(most, weights[size_t(j)] = head.score(i, j, slope));
    if (most == -kInfinity)
      return;
    for (double &weight : weights)
      sum += weight = std::exp(weight - most);
    made.logSumExp[size_t(head.row(i))] = most + std::log(sum);
    for (int64_t j = 0; j < problem.keys; ++j) {
      double weight = weights[size_t(j)] / sum * head.factor(i, j);
      for (int64_t c = 0; c < problem.valueWidth; ++c) {
        double term = weight * head.value(j, c);
        add(made.result, head.ofQuery(i, problem.valueWidth) + c, term, term);
      }
    }
  });
  return made;
}

ReferenceBackward kernels::referenceBackward(const AttentionProblem &problem) {
  int64_t keyRows = problem.batch * problem.keyHeads * problem.keys;
  ReferenceBackward made;
  made.queryGradient = makeValues(problem.batch * problem.heads *
                                  problem.queries * problem.width);
  made.keyGradient = makeValues(keyRows * problem.width);
  made.valueGradient = makeValues(keyRows * problem.valueWidth);
  forEachQuery(problem, [&](const HeadReference &head, int64_t i) {
    double logSum = problem.logSumExp[head.row(i)], delta = 0, deltaSize = 0;
    if (logSum == -kInfinity)
      return;
    for (int64_t c = 0; c < problem.valueWidth; ++c) {
      double term = head.result(i, c) * head.cotangent(i, c);
      delta += term;
      deltaSize += std::abs(term);
    }
    for (int64_t j = 0; j < problem.keys; ++j) {
      double slope, weight = std::exp(head.score(i, j, slope) - logSum);
      double factor = head.factor(i, j), product = 0, size = 0;
      for (int64_t c = 0; c < problem.valueWidth; ++c) {
        double term = head.cotangent(i, c) * head.value(j, c);
        product += term;
        size += std::abs(term);
        double own = weight * factor * head.cotangent(i, c);
        add(made.valueGradient, head.ofKey(j, problem.valueWidth) + c, own,
            own);
      }
      double scaled = weight * slope * problem.scale;
      double cotangent = scaled * (product * factor - delta);
      size = scaled * (size * factor + deltaSize);
      for (int64_t c = 0; c < problem.width; ++c) {
        double key = head.key(j, c), query = head.query(i, c);
        add(made.queryGradient, head.ofQuery(i, problem.width) + c,
            cotangent * key, size * key);
        add(made.keyGradient, head.ofKey(j, problem.width) + c,
            cotangent * query, size * query);
      }
    }
  });
  return made;
}
