// Family Schedule of the reference interpreter: the published formulas, with
// the warm-up in front of them.
#include "mpc/Dialect/Graph/IR/Ops/Step/Schedule.h"
#include "Reference/Families.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <numbers>

using namespace mpc;
using namespace mpc::reference;

/// What the base rate is multiplied by when `step` steps were taken.
static double factor(graph::ScheduleAttr schedule, int64_t step) {
  int64_t warmup = schedule->warmup, after = step - warmup;
  if (step < warmup)
    return double(step + 1) / double(warmup);
  double final = schedule->final.value;
  double progress =
      std::min(1.0, double(after) / double(schedule->total - warmup));
  switch (schedule->kind) {
  case graph::ScheduleKind::Constant:
    return 1;
  case graph::ScheduleKind::Linear:
    return 1 + (final - 1) * progress;
  case graph::ScheduleKind::Cosine:
    return final +
           (1 - final) * (1 + std::cos(std::numbers::pi * progress)) / 2;
  case graph::ScheduleKind::Step:
    return std::pow(schedule->gamma.value, double(after / schedule->period));
  case graph::ScheduleKind::InverseSqrt:
    return std::sqrt(double(std::max<int64_t>(warmup, 1)) / double(step + 1));
  }
  llvm_unreachable("every schedule has a formula");
}

Answer reference::evaluateSchedule(Operation *op, Operands in, Results out) {
  auto schedule = dyn_cast<graph::LrScheduleOp>(op);
  if (!schedule)
    return std::nullopt;
  out[0].reals[0] =
      in[0]->reals[0] * factor(schedule.getSchedule(), in[1]->ints[0]);
  return success();
}
