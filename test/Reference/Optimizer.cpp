// Family Optimizer of the reference interpreter: the optimizers of torch.optim,
// LAMB and LOMO, one element at a time, and SGD and AdamW on lists.
#include "mpc/Dialect/Graph/IR/Ops/Step/Optimizer.h"
#include "Reference/Families.h"
#include "mpc/Dialect/Graph/IR/Ops/Step/OptimizerLists.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mpc;
using namespace mpc::reference;

/// One element of SGD; `buffer` becomes the next one if there is any.
/// the first step of dampened SGD takes the gradient itself.
template <typename Op>
static double stepSgd(Op op, double lr, double parameter, double gradient,
                      double *buffer, double dampening = 0,
                      bool isFirst = false) {
  double momentum = op.getMomentum().convertToDouble();
  double direction =
      gradient + op.getWeightDecay().convertToDouble() * parameter;
  if (buffer) {
    *buffer =
        isFirst ? direction : momentum * *buffer + (1 - dampening) * direction;
    direction = op.getNesterov() ? direction + momentum * *buffer : *buffer;
  }
  return parameter - lr * direction;
}

/// Adam's moments after gradient `g`, and its direction: the corrected first
/// moment divided by the root of the corrected second.
template <typename Op>
static double adamDirection(Op op, double step, double g, double &m,
                            double &v) {
  double beta1 = op.getBeta1().convertToDouble();
  double beta2 = op.getBeta2().convertToDouble();
  m = beta1 * m + (1 - beta1) * g;
  v = beta2 * v + (1 - beta2) * g * g;
  double mean = m / (1 - std::pow(beta1, step));
  double square = v / (1 - std::pow(beta2, step));
  return mean / (std::sqrt(square) + op.getEpsilon().convertToDouble());
}

/// One element of AdamW; `m` and `v` become the next moments.
template <typename Op>
static double stepAdamW(Op op, double lr, double step, double parameter,
                        double gradient, double &m, double &v) {
  double decay = op.getWeightDecay().convertToDouble();
  double direction = adamDirection(op, step, gradient, m, v);
  return parameter * (1 - lr * decay) - lr * direction;
}

static Answer sgd(graph::SgdOp op, Operands in, Results out) {
  bool hasBuffer = static_cast<bool>(op.getMomentumBuffer());
  double lr = in[hasBuffer ? 3 : 2]->reals[0];
  bool isFirst = op.getStep() && in.back()->ints[0] == 1;
  for (size_t i = 0; i < out[0].size(); ++i) {
    if (hasBuffer)
      out[1].reals[i] = in[2]->reals[i];
    out[0].reals[i] = stepSgd(op, lr, in[0]->reals[i], in[1]->reals[i],
                              hasBuffer ? &out[1].reals[i] : nullptr,
                              op.getDampening().convertToDouble(), isFirst);
  }
  return success();
}

/// Copies the moments and calls `step(i, parameter, gradient, m, v)`, whose
/// answer becomes element i of result 0.
template <typename Step>
static void eachAdam(Operands in, Results out, Step step) {
  out[1].reals = in[2]->reals;
  out[2].reals = in[3]->reals;
  for (size_t i = 0; i < out[0].size(); ++i)
    out[0].reals[i] = step(in[0]->reals[i], in[1]->reals[i], out[1].reals[i],
                           out[2].reals[i]);
}

static Answer adam(graph::AdamOp op, Operands in, Results out) {
  double lr = in[4]->reals[0], step = static_cast<double>(in[5]->ints[0]);
  double decay = op.getWeightDecay().convertToDouble();
  eachAdam(in, out, [&](double p, double g, double &m, double &v) {
    return p - lr * adamDirection(op, step, g + decay * p, m, v);
  });
  return success();
}

static Answer adamw(graph::AdamWOp op, Operands in, Results out) {
  double lr = in[4]->reals[0], step = static_cast<double>(in[5]->ints[0]);
  eachAdam(in, out, [&](double p, double g, double &m, double &v) {
    return stepAdamW(op, lr, step, p, g, m, v);
  });
  return success();
}

static double norm(const std::vector<double> &values) {
  double squares = 0;
  for (double value : values)
    squares += value * value;
  return std::sqrt(squares);
}

static Answer lamb(graph::LambOp op, Operands in, Results out) {
  double lr = in[4]->reals[0], step = static_cast<double>(in[5]->ints[0]);
  double decay = op.getWeightDecay().convertToDouble();
  eachAdam(in, out, [&](double p, double g, double &m, double &v) {
    return adamDirection(op, step, g, m, v) + decay * p;
  });
  double parameters = norm(in[0]->reals), updates = norm(out[0].reals);
  double ratio = parameters > 0 && updates > 0 ? parameters / updates : 1;
  for (size_t i = 0; i < out[0].size(); ++i)
    out[0].reals[i] = in[0]->reals[i] - lr * ratio * out[0].reals[i];
  return success();
}

static Answer adagrad(graph::AdagradOp op, Operands in, Results out) {
  double step = static_cast<double>(in[4]->ints[0]);
  double lr =
      in[3]->reals[0] / (1 + (step - 1) * op.getLrDecay().convertToDouble());
  for (size_t i = 0; i < out[0].size(); ++i) {
    double p = in[0]->reals[i];
    double g = in[1]->reals[i] + op.getWeightDecay().convertToDouble() * p;
    out[1].reals[i] = in[2]->reals[i] + g * g;
    out[0].reals[i] = p - lr * g /
                              (std::sqrt(out[1].reals[i]) +
                               op.getEpsilon().convertToDouble());
  }
  return success();
}

/// Operands: parameter, gradient, square_avg [, buffer] [, grad_avg], lr.
static Answer rmsprop(graph::RmspropOp op, Operands in, Results out) {
  double alpha = op.getAlpha().convertToDouble(), lr = in.back()->reals[0];
  bool hasBuffer = op.getMomentum().isNonZero(), centered = op.getCentered();
  for (size_t i = 0; i < out[0].size(); ++i) {
    double p = in[0]->reals[i];
    double g = in[1]->reals[i] + op.getWeightDecay().convertToDouble() * p;
    double square = alpha * in[2]->reals[i] + (1 - alpha) * g * g;
    out[1].reals[i] = square;
    if (centered) {
      double mean = alpha * in[in.size() - 2]->reals[i] + (1 - alpha) * g;
      out.back().reals[i] = mean;
      square -= mean * mean;
    }
    double step = g / (std::sqrt(square) + op.getEpsilon().convertToDouble());
    if (hasBuffer)
      step = out[2].reals[i] =
          op.getMomentum().convertToDouble() * in[3]->reals[i] + step;
    out[0].reals[i] = p - lr * step;
  }
  return success();
}

static Answer lomo(graph::LomoOp op, Operands in, Results out) {
  double lr = in[2]->reals[0];
  double kept = 1 - lr * op.getWeightDecay().convertToDouble();
  for (size_t i = 0; i < out[0].size(); ++i)
    out[0].reals[i] = in[0]->reals[i] * kept - lr * in[1]->reals[i];
  return success();
}

namespace {
/// The operands of an op on lists, taken one after the other.
class Cursor {
public:
  explicit Cursor(Operands in) : in(in) {}
  Operands list(size_t count) {
    Operands front = in.take_front(count);
    in = in.drop_front(count);
    return front;
  }
  const Tensor *optional(Value value) {
    return value ? list(1).front() : nullptr;
  }

private:
  Operands in;
};

/// What surrounds the update of a list: skip, unscale, clip, copies.
struct Frame {
  bool skips;
  double scale, coefficient;

  template <typename Op>
  Frame(Op op, Cursor &cursor) : skips(false), scale(1), coefficient(1) {
    if (const Tensor *flag = cursor.optional(op.getFoundInf()))
      skips = flag->ints[0] != 0;
    if (const Tensor *value = cursor.optional(op.getGradScale()))
      scale = value->reals[0];
    if (const Tensor *value = cursor.optional(op.getCoefficient()))
      coefficient = value->reals[0];
  }
  double gradient(const Tensor *tensor, size_t i) const {
    return tensor->reals[i] / scale * coefficient;
  }
};
} // namespace

/// 16-bit copies of the next parameters, which are f32 numbers.
static void copyParameters(Results next, Results copies) {
  for (auto [parameter, copy] : llvm::zip(next, copies))
    for (size_t i = 0; i < copy.size(); ++i)
      copy.reals[i] = roundTo(DType::F32, parameter.reals[i]);
}

static Answer fusedAdamW(graph::FusedAdamWOp op, Operands in, Results out) {
  Cursor cursor(in);
  size_t n = op.getCount();
  Operands p = cursor.list(n), g = cursor.list(n), m = cursor.list(n),
           v = cursor.list(n);
  double lr = cursor.list(1)[0]->reals[0];
  double step = static_cast<double>(cursor.list(1)[0]->ints[0]);
  Frame frame(op, cursor);
  for (size_t t = 0; t < n; ++t) {
    Tensor &nextP = out[t], &nextM = out[n + t], &nextV = out[2 * n + t];
    nextP.reals = p[t]->reals;
    nextM.reals = m[t]->reals;
    nextV.reals = v[t]->reals;
    for (size_t i = 0; !frame.skips && i < nextP.size(); ++i)
      nextP.reals[i] =
          stepAdamW(op, lr, step, nextP.reals[i], frame.gradient(g[t], i),
                    nextM.reals[i], nextV.reals[i]);
  }
  copyParameters(out.take_front(n), out.drop_front(3 * n));
  return success();
}

static Answer fusedSgd(graph::FusedSgdOp op, Operands in, Results out) {
  Cursor cursor(in);
  size_t n = op.getCount();
  bool hasBuffers = !op.getMomentumBuffers().empty();
  Operands p = cursor.list(n), g = cursor.list(n),
           b = cursor.list(hasBuffers ? n : 0);
  double lr = cursor.list(1)[0]->reals[0];
  Frame frame(op, cursor);
  for (size_t t = 0; t < n; ++t) {
    Tensor &nextP = out[t];
    nextP.reals = p[t]->reals;
    if (hasBuffers)
      out[n + t].reals = b[t]->reals;
    for (size_t i = 0; !frame.skips && i < nextP.size(); ++i)
      nextP.reals[i] = stepSgd(op, lr, nextP.reals[i], frame.gradient(g[t], i),
                               hasBuffers ? &out[n + t].reals[i] : nullptr);
  }
  copyParameters(out.take_front(n), out.drop_front(hasBuffers ? 2 * n : n));
  return success();
}

static Answer unscaleL2Norm(graph::UnscaleL2NormOp op, Operands in,
                            Results out) {
  Cursor cursor(in);
  Operands gradients = cursor.list(op.getGradients().size());
  const Tensor *scale = cursor.optional(op.getScale());
  double squares = 0;
  for (const Tensor *gradient : gradients)
    for (double value : gradient->reals) {
      out[0].ints[0] |= !std::isfinite(value);
      double unscaled = value / (scale ? scale->reals[0] : 1.0);
      squares += unscaled * unscaled;
    }
  out[1].reals[0] = std::sqrt(squares);
  return success();
}

/// The rounding is what the op is for, so it rounds in exact mode, too.
static Answer kahanRound(Operands in, Results out) {
  DType type = out[0].type;
  for (size_t i = 0; i < out[0].size(); ++i) {
    double parameter = in[0]->reals[i];
    double update = in[2]->reals[i] + (in[1]->reals[i] - parameter);
    double rounded = roundTo(type, parameter + update);
    out[0].reals[i] = rounded;
    out[1].reals[i] = roundTo(type, update - (rounded - parameter));
  }
  return success();
}

Answer reference::evaluateOptimizer(Operation *op, Operands in, Results out) {
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case<graph::SgdOp>([&](auto op) { return sgd(op, in, out); })
      .Case<graph::AdamOp>([&](auto op) { return adam(op, in, out); })
      .Case<graph::AdamWOp>([&](auto op) { return adamw(op, in, out); })
      .Case<graph::LambOp>([&](auto op) { return lamb(op, in, out); })
      .Case<graph::AdagradOp>([&](auto op) { return adagrad(op, in, out); })
      .Case<graph::RmspropOp>([&](auto op) { return rmsprop(op, in, out); })
      .Case<graph::LomoOp>([&](auto op) { return lomo(op, in, out); })
      .Case<graph::KahanRoundOp>([&](auto) { return kahanRound(in, out); })
      .Case<graph::FusedSgdOp>([&](auto op) { return fusedSgd(op, in, out); })
      .Case<graph::FusedAdamWOp>(
          [&](auto op) { return fusedAdamW(op, in, out); })
      .Case<graph::UnscaleL2NormOp>(
          [&](auto op) { return unscaleL2Norm(op, in, out); })
      .Default([](Operation *) { return std::nullopt; });
}
