// Family LossScale: formulas of loss scaling.
#include "mpc/Dialect/Graph/IR/Ops/Step/LossScale.h"
#include "Decomposition.h"
#include "mpc/Dialect/Graph/Settings/Words.h"

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::expr;

/// x * scale
SmallVector<Value> ScaleOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Expr x = d(getInput());
  return {x * d.castTo(getScale(), x.elementType())};
}

/// u_i = g_i * f32(1 / f64(scale)); found_inf = some |g| is not below inf.
/// Both come from one pass over each gradient, in a shape with parallel rows.
SmallVector<Value> UnscaleOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Type f64 = builder.getF64Type(), f32 = builder.getF32Type();
  Expr inverse = d.castTo(1.0 / d.castTo(getScale(), f64), f32);

  SmallVector<Value> results;
  Expr zero = d.constant(f32, 0.0), one = d.constant(f32, 1.0), anyBad = zero;
  for (Value gradient : getGradients()) {
    Expr whole = d(gradient), g = inFoldShape(whole);
    Expr unscaled = g * d.castTo(inverse, g.elementType());
    results.push_back(reshape(unscaled, whole.shape()));
    anyBad = maximum(anyBad, maxAll(select(isFinite(g), zero, one), kLeastRow));
  }
  results.push_back(greater(anyBad, zero));
  return results;
}

namespace {
/// The parts of `graph.scaler_update`, one method per part of its state.
class ScalerFormula {
public:
  ScalerFormula(mlir::ImplicitLocOpBuilder &builder, ScalerUpdateOp op)
      : d(builder, op), op(op), f32(builder.getF32Type()),
        f64(builder.getF64Type()), scale(d(op.getScale())),
        foundInf(d(op.getFoundInf())), shrinks(foundInf) {
    count = d(op.getGrowthTracker()) + 1;
    due = greaterEqual(count, count.integer(int64_t(op.getInterval())));
    if (Value left = op.getHysteresisTracker()) {
      lower = maximum(d(left) - 1, 0);
      shrinks = both(shrinks, equal(lower, 0));
    }
  }

  /// s * backoff, not below the floor; s * growth, not above the ceiling and,
  /// guarded, not infinite.
  Expr nextScale() {
    Expr backedOff = times(op.getBackoff().convertToDouble());
    if (double floor = op.getFloor().convertToDouble())
      backedOff = maximum(backedOff, floor);
    Expr grown = times(op.getGrowth().convertToDouble());
    if (double ceiling = op.getCeiling().convertToDouble())
      grown = minimum(grown, ceiling);
    if (op.getGrowthGuard())
      grown = select(isFinite(grown), grown, scale);
    Expr clean = select(due, grown, scale);
    Expr kept = lower ? select(foundInf, scale, clean) : clean;
    return select(shrinks, backedOff, kept);
  }

  Expr nextGrowthTracker() {
    Expr start = count.integer(-int64_t(op.getDelay()));
    return select(foundInf, start, select(due, count.integer(0), count));
  }

  Expr nextHysteresisTracker() {
    Expr full = lower.integer(int64_t(op.getHysteresis()));
    if (op.getRefill() == stringifyEnum(HysteresisRefill::Growth))
      full = select(due, full, d(op.getHysteresisTracker()));
    return select(foundInf, lower, full);
  }

  Expr atFloor() {
    Expr floor = scale.constant(op.getFloor().convertToDouble());
    return both(shrinks, lessEqual(scale, floor));
  }

private:
  /// The exact product, rounded once.
  Expr times(double factor) {
    return d.castTo(d.castTo(scale, f64) * factor, f32);
  }

  Decomposition d;
  ScalerUpdateOp op;
  Type f32, f64;
  Expr scale, foundInf;
  /// Finite steps with this one; whether they are enough; whether the scale
  /// shrinks; what hysteresis still forgives after a step that is not finite.
  Expr count, due, shrinks, lower;
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
