// Family Loss of the reference interpreter.
#include "mpc/Dialect/Graph/IR/Ops/Loss.h"
#include "Reference/Families.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <limits>

using namespace mpc;
using namespace mpc::reference;

using Losses = SmallVector<double>;

/// `losses` as they are, their sum, or their sum over `count`.
static Answer combine(graph::LossReduction reduction, const Losses &losses,
                      double count, Results out) {
  if (reduction == graph::LossReduction::None) {
    llvm::copy(losses, out[0].reals.begin());
    return success();
  }
  double sum = 0;
  for (double loss : losses)
    sum += loss;
  out[0].reals[0] = reduction == graph::LossReduction::Mean ? sum / count : sum;
  return success();
}

/// Of each element: `loss(prediction, target)`.
template <typename Op, typename Loss>
static Answer elements(Op op, Operands in, Results out, Loss loss) {
  Losses losses;
  for (size_t i = 0; i < in[0]->size(); ++i)
    losses.push_back(loss(in[0]->reals[i], in[1]->reals[i]));
  return combine(op.getReduction(), losses, double(losses.size()), out);
}

static double huber(double p, double t, double delta) {
  double d = std::fabs(p - t);
  return d <= delta ? d * d / 2 : delta * (d - delta / 2);
}

/// Logarithms are cut off at -100.
static double binaryCrossEntropy(double p, double t) {
  return -t * std::fmax(std::log(p), -100) -
         (1 - t) * std::fmax(std::log(1 - p), -100);
}

static Answer
binaryCrossEntropyWithLogits(graph::BinaryCrossEntropyWithLogitsOp op,
                             Operands in, Results out) {
  Losses losses;
  size_t period = op.getPosWeight() ? in[2]->size() : 1;
  for (size_t i = 0; i < in[0]->size(); ++i) {
    double x = in[0]->reals[i], t = in[1]->reals[i];
    double w = op.getPosWeight() ? in[2]->reals[i % period] : 1;
    // -ln(sigmoid(z)), which e^-z would make inf or lose.
    auto cost = [](double z) {
      return z > 0 ? std::log1p(std::exp(-z)) : std::log1p(std::exp(z)) - z;
    };
    losses.push_back(w * t * cost(x) + (1 - t) * cost(-x));
  }
  return combine(op.getReduction(), losses, double(losses.size()), out);
}

static double klDivergence(double p, double t, bool isLog) {
  if (isLog)
    return std::exp(t) * (t - p);
  return t == 0 ? 0 : t * (std::log(t) - p);
}

/// log(softmax(row)).
static Losses logSoftmax(ArrayRef<double> row) {
  double most = -std::numeric_limits<double>::infinity(), sum = 0;
  for (double logit : row)
    most = std::fmax(most, logit);
  for (double logit : row)
    sum += std::exp(logit - most);
  Losses logs;
  for (double logit : row)
    logs.push_back(logit - most - std::log(sum));
  return logs;
}

/// A sample costs minus its row of log-probabilities times a distribution: the
/// label's, smoothed.
template <typename Op>
static Answer labels(Op op, Operands in, Results out, double smoothing,
                     bool areLogits) {
  auto classes = static_cast<size_t>(in[0]->shape.back());
  const Tensor *mask = op.getMask() ? in[2] : nullptr;
  const Tensor *weight = op.getWeight() ? in[mask ? 3 : 2] : nullptr;
  auto weightOf = [&](size_t c) { return weight ? weight->reals[c] : 1; };
  Losses losses;
  double count = op.getEpsilon().convertToDouble();
  for (size_t sample = 0; sample < in[1]->size(); ++sample) {
    losses.push_back(0);
    int64_t label = in[1]->ints[sample];
    double share = !mask                 ? 1
                   : mask->reals.empty() ? double(mask->ints[sample])
                                         : mask->reals[sample];
    if (share == 0 || label == static_cast<int64_t>(op.getIgnoreIndex()))
      continue;
    if (label < 0 || label >= static_cast<int64_t>(classes))
      return op.emitError("expected labels from 0 to ")
             << classes - 1 << ", but got " << label;
    auto row = ArrayRef<double>(in[0]->reals).slice(sample * classes, classes);
    Losses logs = areLogits ? logSoftmax(row) : Losses(row);
    for (size_t c = 0; c < classes; ++c) {
      double target = smoothing / double(classes) +
                      (c == size_t(label) ? 1 - smoothing : 0);
      if (target != 0)
        losses.back() -= share * weightOf(c) * target * logs[c];
    }
    count += share * weightOf(size_t(label));
  }
  return combine(op.getReduction(), losses, count, out);
}

static Answer softCrossEntropy(graph::SoftCrossEntropyOp op, Operands in,
                               Results out) {
  auto classes = static_cast<size_t>(in[0]->shape.back());
  double smoothing = op.getLabelSmoothing().convertToDouble();
  Losses losses;
  for (size_t sample = 0; sample < in[0]->size() / classes; ++sample) {
    losses.push_back(0);
    ArrayRef<double> all(in[0]->reals);
    Losses logs = logSoftmax(all.slice(sample * classes, classes));
    for (size_t c = 0; c < classes; ++c) {
      double target = in[1]->reals[sample * classes + c] * (1 - smoothing) +
                      smoothing / double(classes);
      losses.back() -=
          (op.getWeight() ? in[2]->reals[c] : 1) * target * logs[c];
    }
  }
  return combine(op.getReduction(), losses, double(losses.size()), out);
}

Answer reference::evaluateLoss(Operation *op, Operands in, Results out) {
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case<graph::MseOp>([&](auto op) {
        return elements(op, in, out,
                        [](double p, double t) { return (p - t) * (p - t); });
      })
      .Case<graph::L1Op>([&](auto op) {
        return elements(op, in, out,
                        [](double p, double t) { return std::fabs(p - t); });
      })
      .Case<graph::SmoothL1Op>([&](auto op) {
        double beta = op.getBeta().convertToDouble();
        return elements(op, in, out, [&](double p, double t) {
          return beta == 0 ? std::fabs(p - t) : huber(p, t, beta) / beta;
        });
      })
      .Case<graph::HuberOp>([&](auto op) {
        double delta = op.getDelta().convertToDouble();
        return elements(op, in, out,
                        [&](double p, double t) { return huber(p, t, delta); });
      })
      .Case<graph::KlDivOp>([&](auto op) {
        return elements(op, in, out, [&](double p, double t) {
          return klDivergence(p, t, op.getLogTarget());
        });
      })
      .Case<graph::BinaryCrossEntropyOp>(
          [&](auto op) { return elements(op, in, out, binaryCrossEntropy); })
      .Case<graph::BinaryCrossEntropyWithLogitsOp>(
          [&](auto op) { return binaryCrossEntropyWithLogits(op, in, out); })
      .Case<graph::CrossEntropyOp>([&](auto op) {
        double smoothing = op.getLabelSmoothing().convertToDouble();
        return labels(op, in, out, smoothing, true);
      })
      .Case<graph::NllOp>(
          [&](auto op) { return labels(op, in, out, 0, false); })
      .Case<graph::SoftCrossEntropyOp>(
          [&](auto op) { return softCrossEntropy(op, in, out); })
      .Default([](Operation *) { return std::nullopt; });
}
