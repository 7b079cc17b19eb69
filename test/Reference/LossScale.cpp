// Family LossScale of the reference interpreter. The loss scale and its
// inverse are f32 by definition (torch.amp.GradScaler), in either mode.
#include "mpc/Dialect/Graph/IR/Ops/Step/LossScale.h"
#include "Reference/Families.h"
#include "llvm/ADT/TypeSwitch.h"
#include <algorithm>
#include <cmath>

using namespace mpc;
using namespace mpc::reference;

static Answer scale(Operands in, Results out) {
  for (size_t i = 0; i < out[0].size(); ++i)
    out[0].reals[i] = in[0]->reals[i] * in[1]->reals[0];
  return success();
}

/// Multiplies by the f32 nearest to 1 / scale; found_inf looks at what comes
/// in. Elements that are not finite are passed on.
static Answer unscale(Operands in, Results out) {
  double inverse = roundTo(DType::F32, 1 / in[0]->reals[0]);
  int64_t foundInf = 0;
  for (size_t k = 1; k < in.size(); ++k)
    for (size_t i = 0; i < in[k]->size(); ++i) {
      foundInf |= !std::isfinite(in[k]->reals[i]);
      out[k - 1].reals[i] = in[k]->reals[i] * inverse;
    }
  out.back().ints[0] = foundInf;
  return success();
}

namespace {
/// What lives from step to step. Hysteresis 1 forgives nothing.
struct Scaler {
  double scale;
  int64_t growthTracker, hysteresisTracker;
};
} // namespace

/// A step that is not finite; whether the scale had to shrink at its floor.
static bool overflow(graph::ScalerUpdateOp op, Scaler &s) {
  s.growthTracker = -static_cast<int64_t>(op.getDelay());
  s.hysteresisTracker = std::max<int64_t>(s.hysteresisTracker - 1, 0);
  if (s.hysteresisTracker > 0)
    return false;
  double floor = roundTo(DType::F32, op.getFloor().convertToDouble());
  bool atFloor = s.scale <= floor;
  s.scale = roundTo(DType::F32, s.scale * op.getBackoff().convertToDouble());
  if (floor > 0)
    s.scale = std::max(s.scale, floor);
  return atFloor;
}

static void finiteStep(graph::ScalerUpdateOp op, Scaler &s) {
  int64_t full = static_cast<int64_t>(op.getHysteresis());
  if (op.getRefill() == "clean")
    s.hysteresisTracker = full;
  s.growthTracker = wrapTo(DType::I32, s.growthTracker + 1);
  if (s.growthTracker < static_cast<int64_t>(op.getInterval()))
    return;
  s.growthTracker = 0;
  s.hysteresisTracker = full;
  double grown =
      roundTo(DType::F32, s.scale * op.getGrowth().convertToDouble());
  if (double ceiling = op.getCeiling().convertToDouble())
    grown = std::min(grown, roundTo(DType::F32, ceiling));
  if (std::isfinite(grown) || !op.getGrowthGuard())
    s.scale = grown;
}

static Answer scalerUpdate(graph::ScalerUpdateOp op, Operands in, Results out) {
  Scaler s{in[0]->reals[0], in[1]->ints[0], in.size() > 3 ? in[3]->ints[0] : 1};
  bool atFloor = false;
  if (in[2]->ints[0])
    atFloor = overflow(op, s);
  else
    finiteStep(op, s);
  out[0].reals[0] = s.scale;
  out[1].ints[0] = s.growthTracker;
  out[2].ints[0] = atFloor;
  if (out.size() > 3)
    out[3].ints[0] = s.hysteresisTracker;
  return success();
}

Answer reference::evaluateLossScale(Operation *op, Operands in, Results out) {
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case<graph::ScaleOp>([&](auto) { return scale(in, out); })
      .Case<graph::UnscaleOp>([&](auto) { return unscale(in, out); })
      .Case<graph::ScalerUpdateOp>(
          [&](auto op) { return scalerUpdate(op, in, out); })
      .Default([](Operation *) { return std::nullopt; });
}
