// Family Optimizer of the reference interpreter: torch.optim.SGD (dampening 0)
// and torch.optim.AdamW, one element at a time, and the same on lists.
#include "Reference/Families.h"
#include "mpc/Dialect/Graph/IR/GraphOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mpc;
using namespace mpc::reference;

/// One element of SGD; `buffer` becomes the next one if there is any.
template <typename Op>
static double stepSgd(Op op, double lr, double parameter, double gradient,
                      double *buffer) {
  double momentum = op.getMomentum().convertToDouble();
  double direction =
      gradient + op.getWeightDecay().convertToDouble() * parameter;
  if (buffer) {
    *buffer = momentum * *buffer + direction;
    direction = op.getNesterov() ? direction + momentum * *buffer : *buffer;
  }
  return parameter - lr * direction;
}

/// One element of AdamW; `m` and `v` become the next moments.
template <typename Op>
static double stepAdamW(Op op, double lr, double step, double parameter,
                        double gradient, double &m, double &v) {
  double beta1 = op.getBeta1().convertToDouble();
  double beta2 = op.getBeta2().convertToDouble();
  double decay = op.getWeightDecay().convertToDouble();
  double correction1 = 1 - std::pow(beta1, step);
  double correction2 = 1 - std::pow(beta2, step);
  m += (gradient - m) * (1 - beta1);
  v = v * beta2 + (1 - beta2) * gradient * gradient;
  double denominator =
      std::sqrt(v) / std::sqrt(correction2) + op.getEpsilon().convertToDouble();
  return parameter * (1 - lr * decay) - lr / correction1 * (m / denominator);
}

static Answer sgd(graph::SgdOp op, Operands in, Results out) {
  double lr = in.back()->reals[0];
  bool hasBuffer = static_cast<bool>(op.getMomentumBuffer());
  for (size_t i = 0; i < out[0].size(); ++i) {
    if (hasBuffer)
      out[1].reals[i] = in[2]->reals[i];
    out[0].reals[i] = stepSgd(op, lr, in[0]->reals[i], in[1]->reals[i],
                              hasBuffer ? &out[1].reals[i] : nullptr);
  }
  return success();
}

static Answer adamw(graph::AdamWOp op, Operands in, Results out) {
  double lr = in[4]->reals[0], step = static_cast<double>(in[5]->ints[0]);
  for (size_t i = 0; i < out[0].size(); ++i) {
    out[1].reals[i] = in[2]->reals[i];
    out[2].reals[i] = in[3]->reals[i];
    out[0].reals[i] = stepAdamW(op, lr, step, in[0]->reals[i], in[1]->reals[i],
                                out[1].reals[i], out[2].reals[i]);
  }
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

Answer reference::evaluateOptimizer(Operation *op, Operands in, Results out) {
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case<graph::SgdOp>([&](auto op) { return sgd(op, in, out); })
      .Case<graph::AdamWOp>([&](auto op) { return adamw(op, in, out); })
      .Case<graph::FusedSgdOp>([&](auto op) { return fusedSgd(op, in, out); })
      .Case<graph::FusedAdamWOp>(
          [&](auto op) { return fusedAdamW(op, in, out); })
      .Case<graph::UnscaleL2NormOp>(
          [&](auto op) { return unscaleL2Norm(op, in, out); })
      .Default([](Operation *) { return std::nullopt; });
}
