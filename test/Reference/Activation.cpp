// Family Activation of the reference interpreter: the definitions, in the
// simplest words that do not overflow.
#include "mpc/Dialect/Graph/IR/Ops/Activation.h"
#include "Reference/Families.h"
#include "llvm/ADT/TypeSwitch.h"
#include <algorithm>
#include <cmath>
#include <numbers>

using namespace mpc;
using namespace mpc::reference;

template <typename Real>
static Answer unary(Operands in, Results out, Real real) {
  for (size_t i = 0; i < out[0].size(); ++i)
    out[0].reals[i] = real(in[0]->reals[i]);
  return success();
}

static double gelu(graph::GeluKind kind, double x) {
  if (kind == graph::GeluKind::Erf)
    return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2));
  double root = std::sqrt(2 / std::numbers::pi);
  return 0.5 * x * (1 + std::tanh(root * (x + 0.044715 * x * x * x)));
}

/// d/dx of x * P(x): P(x) + x * P'(x).
static double geluSlope(graph::GeluKind kind, double x) {
  if (kind == graph::GeluKind::Erf) {
    double density = std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
    return 0.5 * (1 + std::erf(x / std::numbers::sqrt2)) + x * density;
  }
  double root = std::sqrt(2 / std::numbers::pi);
  double t = std::tanh(root * (x + 0.044715 * x * x * x));
  double slope = root * (1 + 3 * 0.044715 * x * x);
  return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * slope;
}

static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// ln(1 + e^x), which is x for all that e^x is infinite for.
static double softplus(double x) {
  return x > 40 ? x : std::log1p(std::exp(x));
}

static double hardsigmoid(double x) {
  return std::isnan(x) ? x : std::clamp(x + 3, 0.0, 6.0) / 6;
}

Answer reference::evaluateActivation(Operation *op, Operands in, Results out) {
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case<graph::SigmoidOp>([&](auto) { return unary(in, out, sigmoid); })
      .Case<graph::ReluOp>([&](auto) {
        return unary(in, out, [](double x) { return x < 0 ? 0 : x; });
      })
      .Case<graph::GeluOp>([&](graph::GeluOp gelu) {
        return unary(in, out,
                     [&](double x) { return ::gelu(gelu.getKind(), x); });
      })
      .Case<graph::GeluBackwardOp>([&](graph::GeluBackwardOp gelu) {
        for (size_t i = 0; i < out[0].size(); ++i)
          out[0].reals[i] =
              in[0]->reals[i] * geluSlope(gelu.getKind(), in[1]->reals[i]);
        return Answer(success());
      })
      .Case<graph::SiluOp>([&](auto) {
        return unary(in, out, [](double x) { return x * sigmoid(x); });
      })
      .Case<graph::MishOp>([&](auto) {
        return unary(in, out,
                     [](double x) { return x * std::tanh(softplus(x)); });
      })
      .Case<graph::HardsigmoidOp>(
          [&](auto) { return unary(in, out, hardsigmoid); })
      .Case<graph::HardswishOp>([&](auto) {
        return unary(in, out, [](double x) { return x * hardsigmoid(x); });
      })
      .Case<graph::LeakyReluOp>([&](graph::LeakyReluOp relu) {
        double slope = relu.getNegativeSlope().convertToDouble();
        return unary(in, out, [&](double x) { return x > 0 ? x : slope * x; });
      })
      .Case<graph::EluOp>([&](graph::EluOp elu) {
        double alpha = elu.getAlpha().convertToDouble();
        return unary(in, out, [&](double x) {
          return x > 0 ? x : alpha * std::expm1(x);
        });
      })
      .Case<graph::SoftplusOp>([&](graph::SoftplusOp op) {
        double beta = op.getBeta().convertToDouble();
        return unary(in, out,
                     [&](double x) { return softplus(beta * x) / beta; });
      })
      .Default([](Operation *) { return std::nullopt; });
}
