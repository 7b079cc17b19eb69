// Family Schedule: formulas of the schedules, on f64 scalars.
#include "mpc/Dialect/Graph/IR/Ops/Step/Schedule.h"
#include "Decomposition.h"
#include <numbers>

using namespace mpc;
using namespace mpc::graph;
using namespace mpc::graph::expr;

namespace {

/// sin(pi / 2 * x) for x in [0, 1]: Taylor's series to the 21st power, whose
/// rest is below 2e-18 there. No target needs a sine.
Expr sinHalfPi(Expr x) {
  Expr y = x * (std::numbers::pi / 2);
  Expr square = y * y;
  Expr series = x.constant(1.0);
  for (int power = 21; power > 1; power -= 2) {
    Expr term = square * series / double(power * (power - 1));
    series = 1.0 - term;
  }
  return y * series;
}

/// The factor after the warm-up; `t` steps were taken, `after` of them after
/// the warm-up.
Expr decay(Decomposition &d, ScheduleAttr schedule, Expr t, Expr after) {
  double warmup = double(schedule->warmup);
  if (schedule->kind == ScheduleKind::Constant)
    return t.constant(1.0);
  if (schedule->kind == ScheduleKind::InverseSqrt)
    return sqrt(std::max(warmup, 1.0) / (t + 1.0));
  if (schedule->kind == ScheduleKind::Step) {
    // A quotient of integers below 2^31 never rounds up to the next one.
    Expr quotient = after / double(schedule->period);
    Type i32 = mlir::IntegerType::get(t.type().getContext(), 32);
    Expr periods = d.castTo(d.castTo(quotient, i32), t.elementType());
    return pow(t.constant(schedule->gamma.value), periods);
  }
  double length = double(schedule->total) - warmup;
  // What is left, not what is done: 0 at the end, where the factor is `final`
  // to the bit, and right in all digits just before.
  Expr share = maximum(length - after, 0.0) / length;
  if (schedule->kind == ScheduleKind::Cosine) {
    // (1 + cos(pi * (1 - x))) / 2 = sin(pi / 2 * x)^2
    Expr sine = sinHalfPi(share);
    share = sine * sine;
  }
  double final = schedule->final.value;
  return final + (1.0 - final) * share;
}

} // namespace

/// base * (t < w ? (t + 1) / w : decay(t))
SmallVector<Value>
LrScheduleOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Decomposition d(builder, *this);
  Type f64 = builder.getF64Type();
  Expr t = d.castTo(getStep(), f64);
  double warmup = double(getSchedule()->warmup);
  Expr after = maximum(t - warmup, 0.0);
  Expr factor = decay(d, getSchedule(), t, after);
  if (warmup > 0) {
    Expr rise = (t + 1.0) / warmup;
    factor = select(less(t, warmup), rise, factor);
  }
  return {d.castTo(d.castTo(getBaseLr(), f64) * factor, builder.getF32Type())};
}
