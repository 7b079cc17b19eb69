// Family Optimizer: formulas, in PyTorch's order of operations (single-tensor
// implementations in torch/optim), so that trajectories agree to rounding.
#include "Formula.h"

using namespace mpc;
using namespace mpc::graph;

namespace {
Type elementOf(Value value) { return mlir::getElementTypeOrSelf(value); }

/// start + weight * (end - start) by the formula that torch.lerp takes.
Value lerp(Formula &f, Value start, Value end, double weight) {
  Value difference = f.sub(end, start);
  if (weight < 0.5)
    return f.add(start, f.mul(f.like(start, weight), difference));
  return f.sub(end, f.mul(difference, f.like(start, 1.0 - weight)));
}
} // namespace

/// g = g + wd * p;  b = momentum * b + g;  g = nesterov ? g + momentum * b : b;
/// p = p - lr * g
SmallVector<Value> SgdOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Formula f(builder, *this);
  Value parameter = getParameter(), gradient = getGradient();
  double decay = getWeightDecay().convertToDouble();
  if (decay != 0.0)
    gradient = f.add(gradient, f.mul(f.like(gradient, decay), parameter));

  Value buffer;
  if (Value old = getMomentumBuffer()) {
    Value momentum = f.like(gradient, getMomentum().convertToDouble());
    buffer = f.add(f.mul(old, momentum), gradient);
    gradient =
        getNesterov() ? f.add(gradient, f.mul(momentum, buffer)) : buffer;
  }
  Value lr = f.cast(getLr(), elementOf(parameter));
  Value step = f.mul(f.sub(f.like(lr, 0.0), lr), gradient);
  SmallVector<Value> results{f.add(parameter, step)};
  if (buffer)
    results.push_back(buffer);
  return results;
}

/// p = p * (1 - lr * wd)
/// m = lerp(m, g, 1 - beta1);  v = v * beta2 + (1 - beta2) * g * g
/// p = p - (lr / (1 - beta1^t)) * m / (sqrt(v) / sqrt(1 - beta2^t) + epsilon)
/// Scalars in f64, as PyTorch computes them on the host.
SmallVector<Value> AdamWOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Formula f(builder, *this);
  Type f64 = builder.getF64Type();
  Type element = elementOf(getParameter());
  double beta1 = getBeta1().convertToDouble();
  double beta2 = getBeta2().convertToDouble();

  Value lr = f.cast(getLr(), f64), t = f.cast(getStep(), f64);
  Value one = f.constant(1.0, f64), zero = f.constant(0.0, f64);
  auto biasCorrection = [&](double beta) {
    return f.sub(one, f.pow(f.constant(beta, f64), t));
  };
  Value decay = f.sub(
      one, f.mul(lr, f.constant(getWeightDecay().convertToDouble(), f64)));
  Value stepSize = f.div(f.sub(zero, lr), biasCorrection(beta1));
  Value rootCorrection = f.sqrt(biasCorrection(beta2));

  Value g = getGradient();
  Value p = f.mul(getParameter(), f.cast(decay, element));
  Value m = lerp(f, getExpAvg(), g, 1.0 - beta1);
  Value v = f.add(f.mul(getExpAvgSq(), f.like(g, beta2)),
                  f.mul(f.mul(f.like(g, 1.0 - beta2), g), g));
  Value root = f.div(f.sqrt(v), f.cast(rootCorrection, element));
  Value denominator = f.add(root, f.like(g, getEpsilon().convertToDouble()));
  Value step = f.div(f.mul(f.cast(stepSize, element), m), denominator);
  return {f.add(p, step), m, v};
}
