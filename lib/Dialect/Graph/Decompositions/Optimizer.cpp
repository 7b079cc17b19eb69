// Family Optimizer: formulas, in PyTorch's order of operations (single-tensor
// implementations in torch/optim), so that trajectories agree to rounding.
#include "mpc/Dialect/Graph/IR/Ops/Step/Optimizer.h"
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

/// g + decay * p, the L2 form of weight decay.
Value addDecay(Formula &f, Value gradient, Value parameter,
               const llvm::APFloat &decay) {
  if (!decay.isNonZero())
    return gradient;
  Value factor = f.like(gradient, decay.convertToDouble());
  return f.add(gradient, f.mul(factor, parameter));
}

/// average * weight + (1 - weight) * x * x
Value averageSquare(Formula &f, Value average, Value x, double weight) {
  return f.add(f.mul(average, f.like(x, weight)),
               f.mul(f.mul(f.like(x, 1.0 - weight), x), x));
}

Value negate(Formula &f, Value value) {
  return f.sub(f.like(value, 0.0), value);
}

/// What Adam and its like have in common. Scalars are f64, as PyTorch computes
/// them on the host, since 1 - beta^t loses its digits in f32.
struct AdamTerms {
  Value lr, correction1, rootCorrection2; ///< f64 scalars
  Value m, v;                             ///< next moments

  template <typename Op> AdamTerms(Formula &f, Op op, Value g, Type f64) {
    double beta1 = op.getBeta1().convertToDouble();
    double beta2 = op.getBeta2().convertToDouble();
    Value t = f.cast(op.getStep(), f64), one = f.constant(1.0, f64);
    auto correction = [&](double beta) {
      return f.sub(one, f.pow(f.constant(beta, f64), t));
    };
    lr = f.cast(op.getLr(), f64);
    correction1 = correction(beta1);
    rootCorrection2 = f.sqrt(correction(beta2));
    m = lerp(f, op.getExpAvg(), g, 1.0 - beta1);
    v = averageSquare(f, op.getExpAvgSq(), g, beta2);
  }

  /// p - lr / correction1 * m / (sqrt(v) / rootCorrection2 + epsilon)
  Value step(Formula &f, Value p, double epsilon) const {
    Type element = elementOf(p);
    Value stepSize = f.div(negate(f, lr), correction1);
    Value root = f.div(f.sqrt(v), f.cast(rootCorrection2, element));
    Value denominator = f.add(root, f.like(p, epsilon));
    return f.add(p, f.div(f.mul(f.cast(stepSize, element), m), denominator));
  }
};

/// The Euclidean norm over all elements, a scalar of their type.
Value norm(Formula &f, Value value) {
  auto type = mlir::cast<RankedTensorType>(value.getType());
  Value x = f.reshape(value, getFoldShape(type.getShape()));
  return f.sqrt(f.sumAll(f.mul(x, x)));
}
} // namespace

/// g = g + wd * p
/// b = momentum * b + (1 - dampening) * g, but b = g at step 1 if it dampens
/// g = nesterov ? g + momentum * b : b;  p = p - lr * g
SmallVector<Value> SgdOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Formula f(builder, *this);
  Value parameter = getParameter();
  Value gradient = addDecay(f, getGradient(), parameter, getWeightDecay());

  Value buffer;
  if (Value old = getMomentumBuffer()) {
    Value momentum = f.like(gradient, getMomentum().convertToDouble());
    double dampening = getDampening().convertToDouble();
    Value fresh = dampening == 0.0
                      ? gradient
                      : f.mul(f.like(gradient, 1.0 - dampening), gradient);
    buffer = f.add(f.mul(old, momentum), fresh);
    if (Value step = getStep())
      buffer = f.select(f.compare(ComparePredicate::Eq, step, f.like(step, 1)),
                        gradient, buffer);
    gradient =
        getNesterov() ? f.add(gradient, f.mul(momentum, buffer)) : buffer;
  }
  Value lr = f.cast(getLr(), elementOf(parameter));
  SmallVector<Value> results{f.add(parameter, f.mul(negate(f, lr), gradient))};
  if (buffer)
    results.push_back(buffer);
  return results;
}

/// g = g + wd * p
/// m = lerp(m, g, 1 - beta1);  v = v * beta2 + (1 - beta2) * g * g
/// p = p - (lr / (1 - beta1^t)) * m / (sqrt(v) / sqrt(1 - beta2^t) + epsilon)
SmallVector<Value> AdamOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Formula f(builder, *this);
  Value p = getParameter();
  Value g = addDecay(f, getGradient(), p, getWeightDecay());
  AdamTerms terms(f, *this, g, builder.getF64Type());
  return {terms.step(f, p, getEpsilon().convertToDouble()), terms.m, terms.v};
}

/// p = p * (1 - lr * wd), and the rest as Adam without weight decay.
SmallVector<Value> AdamWOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Formula f(builder, *this);
  AdamTerms terms(f, *this, getGradient(), builder.getF64Type());
  Value decay = f.sub(
      f.like(terms.lr, 1.0),
      f.mul(terms.lr, f.like(terms.lr, getWeightDecay().convertToDouble())));
  Value p = f.mul(getParameter(), f.cast(decay, elementOf(getParameter())));
  return {terms.step(f, p, getEpsilon().convertToDouble()), terms.m, terms.v};
}

/// u = m / (1 - beta1^t) / (sqrt(v) / sqrt(1 - beta2^t) + epsilon) + wd * p
/// r = |p| / |u|, or 1 if one of them is not above 0;  p = p - (lr * r) * u
SmallVector<Value> LambOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Formula f(builder, *this);
  Value p = getParameter();
  Type element = elementOf(p);
  AdamTerms terms(f, *this, getGradient(), builder.getF64Type());
  Value m = f.div(terms.m, f.cast(terms.correction1, element));
  Value root = f.div(f.sqrt(terms.v), f.cast(terms.rootCorrection2, element));
  Value u = f.div(m, f.add(root, f.like(p, getEpsilon().convertToDouble())));
  u = addDecay(f, u, p, getWeightDecay());

  Value pNorm = norm(f, p), uNorm = norm(f, u), zero = f.like(pNorm, 0.0);
  auto isPositive = [&](Value value) {
    return f.compare(ComparePredicate::Gt, value, zero);
  };
  Value lr = f.cast(getLr(), element);
  Value trusted = f.mul(lr, f.div(pNorm, uNorm));
  Value rate =
      f.select(isPositive(pNorm), f.select(isPositive(uNorm), trusted, lr), lr);
  return {f.sub(p, f.mul(rate, u)), terms.m, terms.v};
}

/// g = g + wd * p;  s = s + g * g
/// p = p - (lr / (1 + (t - 1) * lr_decay)) * g / (sqrt(s) + epsilon)
SmallVector<Value> AdagradOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Formula f(builder, *this);
  Type f64 = builder.getF64Type();
  Value p = getParameter();
  Value g = addDecay(f, getGradient(), p, getWeightDecay());
  Value sum = f.add(getSum(), f.mul(g, g));
  Value denominator =
      f.add(f.sqrt(sum), f.like(g, getEpsilon().convertToDouble()));

  Value lr = f.cast(getLr(), f64), one = f.constant(1.0, f64);
  Value before = f.sub(f.cast(getStep(), f64), one);
  Value decay = f.mul(before, f.like(lr, getLrDecay().convertToDouble()));
  Value stepSize =
      f.cast(f.div(negate(f, lr), f.add(one, decay)), elementOf(p));
  return {f.add(p, f.div(f.mul(stepSize, g), denominator)), sum};
}

/// g = g + wd * p;  q = q * alpha + (1 - alpha) * g * g
/// centered: a = lerp(a, g, 1 - alpha), d = sqrt(q - a * a) + epsilon;
/// else d = sqrt(q) + epsilon
/// momentum: b = b * momentum + g / d, p = p - lr * b;  else p = p - lr * g / d
SmallVector<Value> RmspropOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Formula f(builder, *this);
  double alpha = getAlpha().convertToDouble();
  Value p = getParameter();
  Value g = addDecay(f, getGradient(), p, getWeightDecay());
  Value square = averageSquare(f, getAverages().front(), g, alpha);
  Value mean;
  Value variance = square;
  if (getCentered()) {
    mean = lerp(f, getAverages().back(), g, 1.0 - alpha);
    variance = f.sub(square, f.mul(mean, mean));
  }
  Value denominator =
      f.add(f.sqrt(variance), f.like(g, getEpsilon().convertToDouble()));

  Value step = negate(f, f.cast(getLr(), elementOf(p)));
  SmallVector<Value> results{Value(), square};
  if (getMomentum().isNonZero()) {
    Value momentum = f.like(g, getMomentum().convertToDouble());
    Value buffer =
        f.add(f.mul(getAverages()[1], momentum), f.div(g, denominator));
    results[0] = f.add(p, f.mul(step, buffer));
    results.push_back(buffer);
  } else {
    results[0] = f.add(p, f.div(f.mul(step, g), denominator));
  }
  if (getCentered())
    results.push_back(mean);
  return results;
}

/// p = p * (1 - lr * wd);  p = p - lr * g
SmallVector<Value> LomoOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Formula f(builder, *this);
  Value p = getParameter(), lr = f.cast(getLr(), elementOf(p));
  Value step = f.mul(negate(f, lr), getGradient());
  if (getWeightDecay().isNonZero()) {
    Value decay = f.like(lr, getWeightDecay().convertToDouble());
    p = f.mul(p, f.sub(f.like(lr, 1.0), f.mul(lr, decay)));
  }
  return {f.add(p, step)};
}
