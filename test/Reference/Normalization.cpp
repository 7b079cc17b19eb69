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

Answer reference::evaluateNormalization(Operation *op, Operands in,
                                        Results out) {
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case<graph::SoftmaxOp>(
          [&](auto op) { return softmax(op.getDim(), false, in, out); })
      .Case<graph::LogSoftmaxOp>(
          [&](auto op) { return softmax(op.getDim(), true, in, out); })
      .Case<graph::LayerNormOp>([&](auto op) { return layerNorm(op, in, out); })
      .Case<graph::RmsNormOp>([&](auto op) { return rmsNorm(op, in, out); })
      .Default([](Operation *) { return std::nullopt; });
}
