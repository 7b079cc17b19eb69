// Family Normalization of the reference interpreter.
#include "mpc/Dialect/Graph/IR/Ops/Normalization.h"
#include "Reference/Families.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <limits>

using namespace mpc;
using namespace mpc::reference;

/// softmax or its logarithm along `dim`:
///   e_i = exp(x_i - max x);  e_i / sum e  or  (x_i - max x) - log(sum e)
static Answer softmax(int64_t dim, bool logarithm, Operands in, Results out) {
  const Shape &shape = in[0]->shape;
  int64_t length = shape[dim], stride = strides(shape)[dim];
  const std::vector<double> &x = in[0]->reals;
  for (size_t first = 0; first < in[0]->size(); ++first) {
    if (static_cast<int64_t>(first) / stride % length != 0)
      continue;
    double most = -std::numeric_limits<double>::infinity(), sum = 0;
    for (int64_t i = 0; i < length; ++i)
      most = std::fmax(most, x[first + i * stride]);
    for (int64_t i = 0; i < length; ++i)
      sum += std::exp(x[first + i * stride] - most);
    for (int64_t i = 0; i < length; ++i) {
      double shifted = x[first + i * stride] - most;
      out[0].reals[first + i * stride] =
          logarithm ? shifted - std::log(sum) : std::exp(shifted) / sum;
    }
  }
  return success();
}

/// Over the dims from `first_dim` on, with the biased variance:
///   y = (x - mean) / sqrt(variance + epsilon) * weight + bias
static Answer layerNorm(graph::LayerNormOp op, Operands in, Results out) {
  const std::vector<double> &x = in[0]->reals;
  const Shape &shape = in[0]->shape;
  size_t length =
      numElements(Shape(shape.begin() + op.getFirstDim(), shape.end()));
  double epsilon = op.getEpsilon().convertToDouble();
  for (size_t row = 0; row < x.size(); row += length) {
    double mean = 0, variance = 0;
    for (size_t i = 0; i < length; ++i)
      mean += x[row + i] / static_cast<double>(length);
    for (size_t i = 0; i < length; ++i)
      variance += (x[row + i] - mean) * (x[row + i] - mean) /
                  static_cast<double>(length);
    for (size_t i = 0; i < length; ++i)
      out[0].reals[row + i] =
          (x[row + i] - mean) / std::sqrt(variance + epsilon);
  }
  size_t next = 1;
  if (op.getWeight()) {
    auto map = broadcastMap(in[next]->shape, shape);
    for (size_t i = 0; i < x.size(); ++i)
      out[0].reals[i] *= in[next]->reals[map[i]];
    ++next;
  }
  if (op.getBias()) {
    auto map = broadcastMap(in[next]->shape, shape);
    for (size_t i = 0; i < x.size(); ++i)
      out[0].reals[i] += in[next]->reals[map[i]];
  }
  return success();
}

/// Over the dims from `first_dim` on: y = x / sqrt(mean(x^2) + epsilon) *
/// weight
static Answer rmsNorm(graph::RmsNormOp op, Operands in, Results out) {
  const std::vector<double> &x = in[0]->reals;
  const Shape &shape = in[0]->shape;
  size_t length =
      numElements(Shape(shape.begin() + op.getFirstDim(), shape.end()));
  double epsilon = op.getEpsilon().convertToDouble();
  for (size_t row = 0; row < x.size(); row += length) {
    double square = 0;
    for (size_t i = 0; i < length; ++i)
      square += x[row + i] * x[row + i] / static_cast<double>(length);
    for (size_t i = 0; i < length; ++i)
      out[0].reals[row + i] = x[row + i] / std::sqrt(square + epsilon) *
                              (op.getWeight() ? in[1]->reals[i] : 1.0);
  }
  return success();
}

//===-- Of channels -------------------------------------------------------===//

namespace {
/// The elements of an input [batch, channels, space...], or channels last, by
/// sample and channel.
struct Channels {
  Channels(const Shape &shape, bool last)
      : batch(shape.front()), channels(last ? shape.back() : shape[1]),
        space(static_cast<int64_t>(numElements(shape)) / batch / channels),
        last(last) {}
  size_t at(int64_t n, int64_t c, int64_t p) const {
    return last ? (n * space + p) * channels + c
                : (n * channels + c) * space + p;
  }
  template <typename Fn> void forEach(Fn fn) const {
    for (int64_t n = 0; n < batch; ++n)
      for (int64_t c = 0; c < channels; ++c)
        for (int64_t p = 0; p < space; ++p)
          fn(n, c, at(n, c, p));
  }
  int64_t batch, channels, space;
  bool last;
};

/// Means and biased variances of sets of elements; which one an element is in
/// says its sample and channel.
struct Moments {
  template <typename SetOf>
  Moments(const Channels &where, const std::vector<double> &x, size_t sets,
          SetOf setOf)
      : mean(sets), variance(sets) {
    std::vector<double> count(sets);
    where.forEach([&](int64_t n, int64_t c, size_t i) {
      mean[setOf(n, c)] += x[i];
      count[setOf(n, c)] += 1;
    });
    for (size_t set = 0; set < sets; ++set)
      mean[set] /= count[set];
    where.forEach([&](int64_t n, int64_t c, size_t i) {
      double apart = x[i] - mean[setOf(n, c)];
      variance[setOf(n, c)] += apart * apart / count[setOf(n, c)];
    });
  }
  std::vector<double> mean, variance;
};
} // namespace

/// y = (x - mean) / sqrt(variance + epsilon) * weight + bias, with the mean and
/// variance of the set that the element is in.
template <typename Op, typename SetOf>
static Answer normalize(Op op, const Channels &where,
                        const std::vector<double> &mean,
                        const std::vector<double> &variance, SetOf setOf,
                        Operands in, Results out) {
  const std::vector<double> &x = in[0]->reals;
  size_t bias = op.getWeight() ? 2 : 1;
  where.forEach([&](int64_t n, int64_t c, size_t i) {
    size_t set = setOf(n, c);
    double y = (x[i] - mean[set]) /
               std::sqrt(variance[set] + op.getEpsilon().convertToDouble());
    if (op.getWeight())
      y *= in[1]->reals[c];
    if (op.getBias())
      y += in[bias]->reals[c];
    out[0].reals[i] = y;
  });
  return success();
}

static Answer groupNorm(graph::GroupNormOp op, Operands in, Results out) {
  Channels where(in[0]->shape, op.getChannelsLast());
  auto groups = static_cast<int64_t>(op.getGroups());
  auto setOf = [&](int64_t n, int64_t c) {
    return static_cast<size_t>(n * groups + c / (where.channels / groups));
  };
  Moments moments(where, in[0]->reals, where.batch * groups, setOf);
  return normalize(op, where, moments.mean, moments.variance, setOf, in, out);
}

static Answer instanceNorm(graph::InstanceNormOp op, Operands in, Results out) {
  Channels where(in[0]->shape, op.getChannelsLast());
  auto setOf = [&](int64_t n, int64_t c) {
    return static_cast<size_t>(n * where.channels + c);
  };
  Moments moments(where, in[0]->reals, where.batch * where.channels, setOf);
  return normalize(op, where, moments.mean, moments.variance, setOf, in, out);
}

static Answer batchNorm(graph::BatchNormOp op, Operands in, Results out) {
  Channels where(in[0]->shape, op.getChannelsLast());
  auto setOf = [](int64_t, int64_t c) { return static_cast<size_t>(c); };
  if (op.getInference())
    return normalize(op, where, in[in.size() - 2]->reals,
                     in[in.size() - 1]->reals, setOf, in, out);
  Moments moments(where, in[0]->reals, where.channels, setOf);
  return normalize(op, where, moments.mean, moments.variance, setOf, in, out);
}

static Answer channelMoments(graph::ChannelMomentsOp op, Operands in,
                             Results out) {
  Channels where(in[0]->shape, op.getChannelsLast());
  auto setOf = [&](int64_t n, int64_t c) {
    return static_cast<size_t>((op.getPerSample() ? n * where.channels : 0) +
                               c);
  };
  Moments moments(where, in[0]->reals, out[0].size(), setOf);
  out[0].reals = moments.mean;
  out[1].reals = moments.variance;
  return success();
}

static Answer channelSums(graph::ChannelSumsOp op, Operands in, Results out) {
  Channels where(in[0]->shape, op.getChannelsLast());
  where.forEach([&](int64_t n, int64_t c, size_t i) {
    size_t set = (op.getPerSample() ? n * where.channels : 0) + c;
    out[0].reals[set] += in[1]->reals[i];
    out[1].reals[set] +=
        in[1]->reals[i] * (in[0]->reals[i] - in[2]->reals[set]);
  });
  return success();
}

static Answer movingAverage(graph::MovingAverageOp op, Operands in,
                            Results out) {
  double momentum = op.getMomentum().convertToDouble();
  for (size_t i = 0; i < in[0]->size(); ++i)
    out[0].reals[i] =
        (1 - momentum) * in[0]->reals[i] + momentum * in[1]->reals[i];
  return success();
}

Answer reference::evaluateNormalization(Operation *op, Operands in,
                                        Results out) {
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case<graph::SoftmaxOp>(
          [&](auto op) { return softmax(op.getDim(), false, in, out); })
      .Case<graph::LogSoftmaxOp>(
          [&](auto op) { return softmax(op.getDim(), true, in, out); })
      .Case<graph::LayerNormOp>([&](auto op) { return layerNorm(op, in, out); })
      .Case<graph::RmsNormOp>([&](auto op) { return rmsNorm(op, in, out); })
      .Case<graph::GroupNormOp>([&](auto op) { return groupNorm(op, in, out); })
      .Case<graph::InstanceNormOp>(
          [&](auto op) { return instanceNorm(op, in, out); })
      .Case<graph::BatchNormOp>([&](auto op) { return batchNorm(op, in, out); })
      .Case<graph::ChannelMomentsOp>(
          [&](auto op) { return channelMoments(op, in, out); })
      .Case<graph::ChannelSumsOp>(
          [&](auto op) { return channelSums(op, in, out); })
      .Case<graph::MovingAverageOp>(
          [&](auto op) { return movingAverage(op, in, out); })
      .Default([](Operation *) { return std::nullopt; });
}
