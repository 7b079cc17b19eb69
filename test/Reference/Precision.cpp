// Family Precision of the reference interpreter. The loss scale and its
// inverse are f32 by definition (torch.amp.GradScaler), in either mode.
#include "Reference/Families.h"
#include "mpc/Dialect/Graph/IR/GraphOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <limits>

using namespace mpc;
using namespace mpc::reference;

/// Towards zero; NaN is 0 and what does not fit becomes the nearest integer
/// that does.
static int64_t toInteger(DType type, double value) {
  if (type == DType::I1)
    return value != 0;
  double low = type == DType::I32 ? -0x1p31 : -0x1p63;
  if (std::isnan(value))
    return 0;
  if (value <= low)
    return static_cast<int64_t>(low);
  if (value >= -low)
    return type == DType::I32 ? std::numeric_limits<int32_t>::max()
                              : std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(value);
}

static Answer castElements(Operands in, Results out) {
  for (size_t i = 0; i < out[0].size(); ++i)
    if (out[0].isFloat())
      out[0].reals[i] = in[0]->value(i);
    else if (in[0]->isFloat())
      out[0].ints[i] = toInteger(out[0].type, in[0]->reals[i]);
    else if (out[0].type == DType::I1)
      out[0].ints[i] = in[0]->ints[i] != 0;
    else
      out[0].ints[i] = wrapTo(out[0].type, in[0]->ints[i]);
  return success();
}

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

/// _amp_update_scale_ of PyTorch: grows when the tracker reaches the interval
/// exactly, and never to infinity.
static Answer scalerUpdate(graph::ScalerUpdateOp op, Operands in, Results out) {
  double scale = in[0]->reals[0];
  int64_t tracker = in[1]->ints[0];
  if (in[2]->ints[0]) {
    scale = roundTo(DType::F32, scale * op.getBackoff().convertToDouble());
    tracker = 0;
  } else if (tracker + 1 == static_cast<int64_t>(op.getInterval())) {
    double grown =
        roundTo(DType::F32, scale * op.getGrowth().convertToDouble());
    if (std::isfinite(grown))
      scale = grown;
    tracker = 0;
  } else {
    tracker = wrapTo(DType::I32, tracker + 1);
  }
  out[0].reals[0] = scale;
  out[1].ints[0] = tracker;
  return success();
}

Answer reference::evaluatePrecision(Operation *op, Operands in, Results out) {
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case<graph::CastOp>([&](auto) { return castElements(in, out); })
      .Case<graph::ScaleOp>([&](auto) { return scale(in, out); })
      .Case<graph::UnscaleOp>([&](auto) { return unscale(in, out); })
      .Case<graph::ScalerUpdateOp>(
          [&](auto op) { return scalerUpdate(op, in, out); })
      .Default([](Operation *) { return std::nullopt; });
}
