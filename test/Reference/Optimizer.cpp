// Family Optimizer of the reference interpreter: torch.optim.SGD (dampening 0)
// and torch.optim.AdamW, one element at a time.
#include "Reference/Families.h"
#include "mpc/Dialect/Graph/IR/GraphOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mpc;
using namespace mpc::reference;

static Answer sgd(graph::SgdOp op, Operands in, Results out) {
  double lr = in.back()->reals[0];
  double momentum = op.getMomentum().convertToDouble();
  double decay = op.getWeightDecay().convertToDouble();
  for (size_t i = 0; i < out[0].size(); ++i) {
    double parameter = in[0]->reals[i];
    double direction = in[1]->reals[i] + decay * parameter;
    if (op.getMomentumBuffer()) {
      double buffer = momentum * in[2]->reals[i] + direction;
      out[1].reals[i] = buffer;
      direction = op.getNesterov() ? direction + momentum * buffer : buffer;
    }
    out[0].reals[i] = parameter - lr * direction;
  }
  return success();
}

static Answer adamw(graph::AdamWOp op, Operands in, Results out) {
  double lr = in[4]->reals[0], step = static_cast<double>(in[5]->ints[0]);
  double beta1 = op.getBeta1().convertToDouble();
  double beta2 = op.getBeta2().convertToDouble();
  double epsilon = op.getEpsilon().convertToDouble();
  double decay = op.getWeightDecay().convertToDouble();
  double correction1 = 1 - std::pow(beta1, step);
  double correction2 = 1 - std::pow(beta2, step);
  for (size_t i = 0; i < out[0].size(); ++i) {
    double gradient = in[1]->reals[i];
    double parameter = in[0]->reals[i] * (1 - lr * decay);
    double m = in[2]->reals[i] + (gradient - in[2]->reals[i]) * (1 - beta1);
    double v = in[3]->reals[i] * beta2 + (1 - beta2) * gradient * gradient;
    double denominator = std::sqrt(v) / std::sqrt(correction2) + epsilon;
    out[0].reals[i] = parameter - lr / correction1 * (m / denominator);
    out[1].reals[i] = m;
    out[2].reals[i] = v;
  }
  return success();
}

Answer reference::evaluateOptimizer(Operation *op, Operands in, Results out) {
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case<graph::SgdOp>([&](auto op) { return sgd(op, in, out); })
      .Case<graph::AdamWOp>([&](auto op) { return adamw(op, in, out); })
      .Default([](Operation *) { return std::nullopt; });
}
