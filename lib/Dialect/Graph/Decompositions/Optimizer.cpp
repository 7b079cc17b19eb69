// Family Optimizer: formulas, in PyTorch's order of operations (single-tensor
// implementations in torch/optim), so that trajectories agree to rounding.
#include "mpc/Dialect/Graph/IR/Ops/Step/Optimizer.h"
#include "Decomposition.h"

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::expr;

namespace {
/// start + weight * (end - start) by the formula that torch.lerp takes.
Expr lerp(Expr start, Expr end, double weight) {
  Expr difference = end - start;
  if (weight < 0.5)
    return start + weight * difference;
  return end - difference * (1.0 - weight);
}

/// g + decay * p, the L2 form of weight decay.
Expr addDecay(Expr gradient, Expr parameter, const llvm::APFloat &decay) {
  if (!decay.isNonZero())
    return gradient;
  Expr factor = gradient.constant(decay.convertToDouble());
  return gradient + factor * parameter;
}

/// average * weight + (1 - weight) * x * x
Expr averageSquare(Expr average, Expr x, double weight) {
  Expr kept = average * x.constant(weight);
  return kept + (1.0 - weight) * x * x;
}

/// What Adam and its like have in common. Scalars are f64, as PyTorch computes
/// them on the host, since 1 - beta^t loses its digits in f32.
struct AdamTerms {
  Expr lr, correction1, rootCorrection2; ///< f64 scalars
  Expr m, v;                             ///< next moments

  template <typename Op> AdamTerms(Decomposition &d, Op op, Expr g, Type f64) {
    double beta1 = op.getBeta1().convertToDouble();
    double beta2 = op.getBeta2().convertToDouble();
    Expr t = d.castTo(op.getStep(), f64), one = t.constant(1.0);
    auto correction = [&](double beta) {
      return one - pow(t.constant(beta), t);
    };
    lr = d.castTo(op.getLr(), f64);
    correction1 = correction(beta1);
    rootCorrection2 = sqrt(correction(beta2));
    m = lerp(d(op.getExpAvg()), g, 1.0 - beta1);
    v = averageSquare(d(op.getExpAvgSq()), g, beta2);
  }

  /// p - lr / correction1 * m / (sqrt(v) / rootCorrection2 + epsilon)
  Expr step(Decomposition &d, Expr p, double epsilon) const {
    Expr stepSize = (0.0 - lr) / correction1;
    Expr root = sqrt(v) / d.castTo(rootCorrection2, p.elementType());
    Expr denominator = root + p.constant(epsilon);
    return p + d.castTo(stepSize, p.elementType()) * m / denominator;
  }
};

/// The Euclidean norm over all elements, a scalar of their type.
Expr norm(Expr value) {
  Expr x = inFoldShape(value);
  return sqrt(sumAll(x * x, kLeastRow));
}
} // namespace

/// g = g + wd * p
/// b = momentum * b + (1 - dampening) * g, but b = g at step 1 if it dampens
/// g = nesterov ? g + momentum * b : b;  p = p - lr * g
SmallVector<Value> SgdOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Expr p = d(getParameter());
  Expr gradient = addDecay(d(getGradient()), p, getWeightDecay());

  Expr buffer;
  if (Value old = getMomentumBuffer()) {
    Expr momentum = gradient.constant(getMomentum().convertToDouble());
    double dampening = getDampening().convertToDouble();
    Expr fresh = dampening == 0.0 ? gradient : (1.0 - dampening) * gradient;
    buffer = d(old) * momentum + fresh;
    if (Value step = getStep())
      buffer = select(equal(d(step), 1), gradient, buffer);
    gradient = getNesterov() ? gradient + momentum * buffer : buffer;
  }
  Expr lr = d.castTo(getLr(), p.elementType());
  SmallVector<Value> results{p + (0.0 - lr) * gradient};
  if (buffer)
    results.push_back(buffer);
  return results;
}

/// g = g + wd * p
/// m = lerp(m, g, 1 - beta1);  v = v * beta2 + (1 - beta2) * g * g
/// p = p - (lr / (1 - beta1^t)) * m / (sqrt(v) / sqrt(1 - beta2^t) + epsilon)
SmallVector<Value> AdamOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Expr p = d(getParameter());
  Expr g = addDecay(d(getGradient()), p, getWeightDecay());
  AdamTerms terms(d, *this, g, builder.getF64Type());
  return {terms.step(d, p, getEpsilon().convertToDouble()), terms.m, terms.v};
}

/// p = p * (1 - lr * wd), and the rest as Adam without weight decay.
SmallVector<Value> AdamWOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  AdamTerms terms(d, *this, d(getGradient()), builder.getF64Type());
  Expr decay = 1.0 - terms.lr * getWeightDecay().convertToDouble();
  Expr p = d(getParameter());
  p = p * d.castTo(decay, p.elementType());
  return {terms.step(d, p, getEpsilon().convertToDouble()), terms.m, terms.v};
}

/// u = m / (1 - beta1^t) / (sqrt(v) / sqrt(1 - beta2^t) + epsilon) + wd * p
/// r = |p| / |u|, or 1 if one of them is not above 0;  p = p - (lr * r) * u
SmallVector<Value> LambOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Expr p = d(getParameter());
  Type element = p.elementType();
  AdamTerms terms(d, *this, d(getGradient()), builder.getF64Type());
  Expr m = terms.m / d.castTo(terms.correction1, element);
  Expr root = sqrt(terms.v) / d.castTo(terms.rootCorrection2, element);
  Expr u = m / (root + p.constant(getEpsilon().convertToDouble()));
  u = addDecay(u, p, getWeightDecay());

  Expr pNorm = norm(p), uNorm = norm(u), zero = pNorm.constant(0.0);
  Expr lr = d.castTo(getLr(), element);
  Expr trusted = lr * (pNorm / uNorm);
  Expr isPositive = greater(pNorm, zero);
  Expr rate = select(isPositive, select(greater(uNorm, zero), trusted, lr), lr);
  return {p - rate * u, terms.m, terms.v};
}

/// g = g + wd * p;  s = s + g * g
/// p = p - (lr / (1 + (t - 1) * lr_decay)) * g / (sqrt(s) + epsilon)
SmallVector<Value> AdagradOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Type f64 = builder.getF64Type();
  Expr p = d(getParameter());
  Expr g = addDecay(d(getGradient()), p, getWeightDecay());
  Expr sum = d(getSum()) + g * g;
  Expr denominator = sqrt(sum) + g.constant(getEpsilon().convertToDouble());

  Expr lr = d.castTo(getLr(), f64), one = lr.constant(1.0);
  Expr before = d.castTo(getStep(), f64) - one;
  Expr decay = before * getLrDecay().convertToDouble();
  Expr stepSize = d.castTo((0.0 - lr) / (one + decay), p.elementType());
  return {p + stepSize * g / denominator, sum};
}

/// g = g + wd * p;  q = q * alpha + (1 - alpha) * g * g
/// centered: a = lerp(a, g, 1 - alpha), d = sqrt(q - a * a) + epsilon;
/// else d = sqrt(q) + epsilon
/// momentum: b = b * momentum + g / d, p = p - lr * b;  else p = p - lr * g / d
SmallVector<Value> RmspropOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  double alpha = getAlpha().convertToDouble();
  Expr p = d(getParameter());
  Expr g = addDecay(d(getGradient()), p, getWeightDecay());
  Expr square = averageSquare(d(getAverages().front()), g, alpha);
  Expr mean, variance = square;
  if (getCentered()) {
    mean = lerp(d(getAverages().back()), g, 1.0 - alpha);
    variance = square - mean * mean;
  }
  Expr denominator =
      sqrt(variance) + g.constant(getEpsilon().convertToDouble());

  Expr step = 0.0 - d.castTo(getLr(), p.elementType());
  SmallVector<Value> results{Value(), square};
  if (getMomentum().isNonZero()) {
    Expr momentum = g.constant(getMomentum().convertToDouble());
    Expr buffer = d(getAverages()[1]) * momentum + g / denominator;
    results[0] = p + step * buffer;
    results.push_back(buffer);
  } else {
    results[0] = p + step * g / denominator;
  }
  if (getCentered())
    results.push_back(mean);
  return results;
}

/// p = p * (1 - lr * wd);  p = p - lr * g
SmallVector<Value> LomoOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Expr p = d(getParameter()), lr = d.castTo(getLr(), p.elementType());
  Expr step = (0.0 - lr) * d(getGradient());
  if (getWeightDecay().isNonZero())
    p = p * (1.0 - lr * getWeightDecay().convertToDouble());
  return {p + step};
}

/// u = c + (next - p);  p' = round(p + u);  c' = round(u - (p' - p))
SmallVector<Value>
KahanRoundOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Type narrow = mlir::getElementTypeOrSelf(getParameter());
  Expr p = d.wide(getParameter());
  Expr u = d.wide(getCompensation()) + (d(getNext()) - p);
  Expr rounded = d.castTo(p + u, narrow);
  Expr lost = u - (d.wide(rounded) - p);
  return {rounded, d.castTo(lost, narrow)};
}
