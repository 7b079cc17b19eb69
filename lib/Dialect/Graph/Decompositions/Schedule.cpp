// Family Schedule: formulas of the schedules, on f64 scalars.
#include "mpc/Dialect/Graph/IR/Ops/Step/Schedule.h"
#include "Formula.h"
#include <numbers>

using namespace mpc;
using namespace mpc::graph;

namespace {

/// sin(pi / 2 * x) for x in [0, 1]: Taylor's series to the 21st power, whose
/// rest is below 2e-18 there. No target needs a sine.
Value sinHalfPi(Formula &f, Value x) {
  Value y = f.mul(x, f.like(x, std::numbers::pi / 2));
  Value square = f.mul(y, y);
  Value series = f.like(x, 1.0);
  for (int power = 21; power > 1; power -= 2) {
    Value term = f.div(f.mul(square, series), f.like(x, power * (power - 1)));
    series = f.sub(f.like(x, 1.0), term);
  }
  return f.mul(y, series);
}

/// The factor after the warm-up; `t` steps were taken, `after` of them behind
/// the warm-up.
Value decay(Formula &f, ScheduleAttr schedule, Value t, Value after) {
  double warmup = double(schedule->warmup);
  auto number = [&](double value) { return f.like(t, value); };
  if (schedule->kind == ScheduleKind::Constant)
    return number(1.0);
  if (schedule->kind == ScheduleKind::InverseSqrt)
    return f.sqrt(f.div(number(std::max(warmup, 1.0)), f.add(t, number(1.0))));
  if (schedule->kind == ScheduleKind::Step) {
    // A quotient of integers below 2^31 never rounds up to the next one.
    Value quotient = f.div(after, number(double(schedule->period)));
    Value periods =
        f.cast(f.cast(quotient, mlir::IntegerType::get(t.getContext(), 32)),
               mlir::getElementTypeOrSelf(t));
    return f.pow(number(schedule->gamma.value), periods);
  }
  double length = double(schedule->total) - warmup;
  // What is left, not what is done: 0 at the end, where the factor is `final`
  // to the bit, and right in all digits just before.
  Value left = f.maximum(f.sub(number(length), after), number(0.0));
  Value share = f.div(left, number(length));
  if (schedule->kind == ScheduleKind::Cosine) {
    // (1 + cos(pi * (1 - x))) / 2 = sin(pi / 2 * x)^2
    Value sine = sinHalfPi(f, share);
    share = f.mul(sine, sine);
  }
  double final = schedule->final.value;
  return f.add(number(final), f.mul(number(1.0 - final), share));
}

} // namespace

/// base * (t < w ? (t + 1) / w : decay(t))
SmallVector<Value>
LrScheduleOp::decompose(mlir::ImplicitLocOpBuilder &builder) {
  Formula f(builder, *this);
  Type f64 = builder.getF64Type();
  Value t = f.cast(getStep(), f64);
  double warmup = double(getSchedule()->warmup);
  Value after = f.maximum(f.sub(t, f.like(t, warmup)), f.like(t, 0.0));
  Value factor = decay(f, getSchedule(), t, after);
  if (warmup > 0) {
    Value rise = f.div(f.add(t, f.like(t, 1.0)), f.like(t, warmup));
    Value rises = f.compare(ComparePredicate::Lt, t, f.like(t, warmup));
    factor = f.select(rises, rise, factor);
  }
  return {
      f.cast(f.mul(f.cast(getBaseLr(), f64), factor), builder.getF32Type())};
}
