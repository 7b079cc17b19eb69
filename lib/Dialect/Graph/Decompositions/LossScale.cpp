// Family LossScale: formulas of loss scaling.
#include "mpc/Dialect/Graph/IR/Ops/Step/LossScale.h"
#include "Formula.h"
#include "mpc/Dialect/Graph/Settings/Words.h"
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

namespace {
/// The parts of `graph.scaler_update`, one method per part of its state.
class ScalerFormula {
public:
  ScalerFormula(mlir::ImplicitLocOpBuilder &builder, ScalerUpdateOp op)
      : f(builder, op), op(op), f32(builder.getF32Type()),
        f64(builder.getF64Type()), i1(builder.getI1Type()) {
    Value tracker = op.getGrowthTracker();
    count = f.add(tracker, f.like(tracker, 1));
    due = f.compare(ComparePredicate::Ge, count,
                    f.like(count, double(int64_t(op.getInterval()))));
    shrinks = op.getFoundInf();
    if (Value left = op.getHysteresisTracker()) {
      lower = f.maximum(f.sub(left, f.like(left, 1)), f.like(left, 0));
      Value used = f.compare(ComparePredicate::Eq, lower, f.like(lower, 0));
      shrinks = both(shrinks, used);
    }
  }

  /// s * backoff, not below the floor; s * growth, not above the ceiling and,
  /// guarded, not infinite.
  Value nextScale() {
    Value scale = op.getScale();
    Value backedOff = times(op.getBackoff().convertToDouble());
    if (double floor = op.getFloor().convertToDouble())
      backedOff = f.maximum(backedOff, f.constant(floor, f32));
    Value grown = times(op.getGrowth().convertToDouble());
    if (double ceiling = op.getCeiling().convertToDouble())
      grown = f.minimum(grown, f.constant(ceiling, f32));
    if (op.getGrowthGuard())
      grown = f.select(isFinite(f, grown), grown, scale);
    Value clean = f.select(due, grown, scale);
    Value kept = op.getHysteresisTracker()
                     ? f.select(op.getFoundInf(), scale, clean)
                     : clean;
    return f.select(shrinks, backedOff, kept);
  }

  Value nextGrowthTracker() {
    Value start = f.like(count, -double(int64_t(op.getDelay())));
    return f.select(op.getFoundInf(), start,
                    f.select(due, f.like(count, 0), count));
  }

  Value nextHysteresisTracker() {
    Value full = f.like(lower, double(int64_t(op.getHysteresis())));
    if (op.getRefill() == stringifyEnum(HysteresisRefill::Growth))
      full = f.select(due, full, op.getHysteresisTracker());
    return f.select(op.getFoundInf(), lower, full);
  }

  Value atFloor() {
    Value floor = f.constant(op.getFloor().convertToDouble(), f32);
    return both(shrinks, f.compare(ComparePredicate::Le, op.getScale(), floor));
  }

private:
  /// The exact product, rounded once.
  Value times(double factor) {
    return f.cast(f.mul(f.cast(op.getScale(), f64), f.constant(factor, f64)),
                  f32);
  }
  Value both(Value a, Value b) { return f.select(a, b, f.constant(0, i1)); }

  Formula f;
  ScalerUpdateOp op;
  Type f32, f64, i1;
  /// Finite steps with this one; whether they are enough; whether the scale
  /// shrinks; what hysteresis still forgives after a step that is not finite.
  Value count, due, shrinks, lower;
};
} // namespace

SmallVector<Value>
ScalerUpdateOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  ScalerFormula formula(builder, *this);
  SmallVector<Value> next{formula.nextScale(), formula.nextGrowthTracker(),
                          formula.atFloor()};
  if (getHysteresisTracker())
    next.push_back(formula.nextHysteresisTracker());
  return next;
}
