// Family Loss of the reference interpreter.
#include "mpc/Dialect/Graph/IR/Ops/Loss.h"
#include "Reference/Families.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <limits>

using namespace mpc;
using namespace mpc::reference;

/// log(sum exp row) - row[label]
static double negativeLogLikelihood(ArrayRef<double> row, int64_t label) {
  double most = -std::numeric_limits<double>::infinity(), sum = 0;
  for (double logit : row)
    most = std::fmax(most, logit);
  for (double logit : row)
    sum += std::exp(logit - most);
  return most + std::log(sum) - row[label];
}

/// Over the samples whose label is not ignore_index and whose mask is true;
/// the mean of no sample is 0 / 0.
static Answer crossEntropy(graph::CrossEntropyOp op, Operands in, Results out) {
  size_t classes = static_cast<size_t>(in[0]->shape.back());
  double sum = 0, count = 0;
  for (size_t sample = 0; sample < in[1]->size(); ++sample) {
    int64_t label = in[1]->ints[sample];
    bool masked = op.getMask() && !in[2]->ints[sample];
    if (masked || label == static_cast<int64_t>(op.getIgnoreIndex()))
      continue;
    if (label < 0 || label >= static_cast<int64_t>(classes))
      return op.emitError("expected labels from 0 to ")
             << classes - 1 << ", but got " << label;
    ArrayRef<double> logits(in[0]->reals);
    sum +=
        negativeLogLikelihood(logits.slice(sample * classes, classes), label);
    count += 1;
  }
  bool isMean = op.getReduction() == graph::LossReduction::Mean;
  out[0].reals[0] = isMean ? sum / count : sum;
  return success();
}

static Answer mse(graph::MseOp op, Operands in, Results out) {
  double sum = 0;
  for (size_t i = 0; i < in[0]->size(); ++i) {
    double difference = in[0]->reals[i] - in[1]->reals[i];
    sum += difference * difference;
  }
  bool isMean = op.getReduction() == graph::LossReduction::Mean;
  out[0].reals[0] = isMean ? sum / static_cast<double>(in[0]->size()) : sum;
  return success();
}

/// Logarithms are cut off at -100.
static Answer binaryCrossEntropy(graph::BinaryCrossEntropyOp op, Operands in,
                                 Results out) {
  double sum = 0;
  for (size_t i = 0; i < in[0]->size(); ++i) {
    double p = in[0]->reals[i], t = in[1]->reals[i];
    double yes = std::fmax(std::log(p), -100),
           no = std::fmax(std::log(1 - p), -100);
    sum -= t * yes + (1 - t) * no;
  }
  bool isMean = op.getReduction() == graph::LossReduction::Mean;
  out[0].reals[0] = isMean ? sum / static_cast<double>(in[0]->size()) : sum;
  return success();
}

Answer reference::evaluateLoss(Operation *op, Operands in, Results out) {
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case<graph::CrossEntropyOp>(
          [&](auto op) { return crossEntropy(op, in, out); })
      .Case<graph::MseOp>([&](auto op) { return mse(op, in, out); })
      .Case<graph::BinaryCrossEntropyOp>(
          [&](auto op) { return binaryCrossEntropy(op, in, out); })
      .Default([](Operation *) { return std::nullopt; });
}
