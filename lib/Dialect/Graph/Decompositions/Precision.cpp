// Family Precision: formulas of loss scaling (torch.amp.GradScaler).
#include "Formula.h"
#include <limits>

using namespace mpc;
using namespace mpc::graph;

namespace {
Value isFinite(Formula &f, Value value) {
  Value infinity = f.like(value, std::numeric_limits<double>::infinity());
  return f.compare(ComparePredicate::Lt, f.abs(value), infinity);
}
} // namespace

/// x * scale
SmallVector<Value> ScaleOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Formula f(builder, *this);
  return {f.mul(getInput(),
                f.cast(getScale(), mlir::getElementTypeOrSelf(getInput())))};
}

/// u_i = g_i * f32(1 / f64(scale)); found_inf = some |g| is not below inf.
/// Both come from one pass over each gradient, in a shape with parallel rows.
SmallVector<Value> UnscaleOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Formula f(builder, *this);
  Type f64 = builder.getF64Type(), f32 = builder.getF32Type();
  Value inverse =
      f.cast(f.div(f.constant(1.0, f64), f.cast(getScale(), f64)), f32);

  SmallVector<Value> results;
  Value anyBad = f.constant(0.0, f32);
  for (Value gradient : getGradients()) {
    auto type = mlir::cast<RankedTensorType>(gradient.getType());
    Value g = f.reshape(gradient, getFoldShape(type.getShape()));
    Value unscaled = f.mul(g, f.cast(inverse, type.getElementType()));
    results.push_back(f.reshape(unscaled, type.getShape()));
    Value bad =
        f.select(isFinite(f, g), f.constant(0.0, f32), f.constant(1.0, f32));
    anyBad = f.maximum(anyBad, f.maxAll(bad));
  }
  results.push_back(
      f.compare(ComparePredicate::Gt, anyBad, f.constant(0.0, f32)));
  return results;
}

/// found_inf:          s = f32(f64(s) * backoff), t = 0
/// else, t+1 == n:     s = f32(f64(s) * growth) unless that is inf, t = 0
/// else:               t = t + 1
SmallVector<Value>
ScalerUpdateOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Formula f(builder, *this);
  Type f64 = builder.getF64Type(), f32 = builder.getF32Type();
  Value scale = getScale(), exact = f.cast(scale, f64);
  auto times = [&](double factor) {
    return f.cast(f.mul(exact, f.constant(factor, f64)), f32);
  };
  Value backedOff = times(getBackoff().convertToDouble());
  Value grown = times(getGrowth().convertToDouble());
  grown = f.select(isFinite(f, grown), grown, scale);

  Value next = f.add(getGrowthTracker(), f.like(getGrowthTracker(), 1));
  Value due = f.compare(ComparePredicate::Eq, next,
                        f.like(next, double(int64_t(getInterval()))));
  Value zero = f.like(next, 0);
  Value nextScale =
      f.select(getFoundInf(), backedOff, f.select(due, grown, scale));
  Value nextTracker = f.select(getFoundInf(), zero, f.select(due, zero, next));
  return {nextScale, nextTracker};
}
