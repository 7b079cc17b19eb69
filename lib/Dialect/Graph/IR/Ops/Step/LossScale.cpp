// Family LossScale: type inference, verifiers.
#include "mpc/Dialect/Graph/IR/Ops/Step/LossScale.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mpc/Dialect/Graph/IR/ShapeInference.h"
#include "mpc/Dialect/Graph/Settings/Words.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <limits>

using namespace mpc;
using namespace mpc::graph;

LogicalResult UnscaleOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location>,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  llvm::append_range(types, adaptor.getGradients().getTypes());
  types.push_back(RankedTensorType::get({}, IntegerType::get(context, 1)));
  return success();
}

LogicalResult ScalerUpdateOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location>,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getScale().getType());
  types.push_back(adaptor.getGrowthTracker().getType());
  types.push_back(adaptor.getFoundInf().getType());
  if (Value tracker = adaptor.getHysteresisTracker())
    types.push_back(tracker.getType());
  return success();
}

LogicalResult UnscaleOp::verify() {
  if (getGradients().empty()) // C1
    return emitOpError("expected at least one gradient");
  return success();
}

namespace {
LogicalResult verifyFactors(ScalerUpdateOp op) {
  double growth = op.getGrowth().convertToDouble();
  double backoff = op.getBackoff().convertToDouble();
  if (!std::isfinite(growth) || growth <= 1) // C1
    return op.emitOpError("expected a finite growth > 1, but got ")
           << op.getGrowthAttr();
  if (!(backoff > 0 && backoff < 1)) // C2
    return op.emitOpError("expected 0 < backoff < 1, but got ")
           << op.getBackoffAttr();
  return success();
}

LogicalResult verifyCounts(ScalerUpdateOp op) {
  int64_t interval = op.getInterval(), hysteresis = op.getHysteresis(),
          delay = op.getDelay();
  if (interval < 1 || !llvm::isInt<32>(interval)) // C3
    return op.emitOpError("expected an interval >= 1 that fits the i32 "
                          "tracker, but got ")
           << interval;
  if (hysteresis < 1 || !llvm::isInt<32>(hysteresis)) // C4
    return op.emitOpError("expected a hysteresis >= 1 that fits the i32 "
                          "tracker, but got ")
           << hysteresis;
  bool wanted = hysteresis > 1;
  if (wanted != bool(op.getHysteresisTracker()) || // C5
      wanted != bool(op.getNextHysteresisTracker()))
    return op.emitOpError("expected a hysteresis tracker and its next value if "
                          "hysteresis > 1, and only then, but hysteresis is ")
           << hysteresis;
  if (!symbolizeEnum<HysteresisRefill>(op.getRefill())) // C6
    return op.emitOpError("expected refill \"growth\" or \"clean\", but got ")
           << op.getRefillAttr();
  if (delay < 0 || !llvm::isInt<32>(delay)) // C7
    return op.emitOpError("expected a delay >= 0 that fits the i32 tracker, "
                          "but got ")
           << delay;
  return success();
}

LogicalResult verifyBounds(ScalerUpdateOp op) { // C8
  double floor = op.getFloor().convertToDouble();
  double ceiling = op.getCeiling().convertToDouble();
  auto isBound = [](double bound) {
    return bound >= 0 && bound <= std::numeric_limits<float>::max();
  };
  if (!isBound(floor) || !isBound(ceiling))
    return op.emitOpError("expected a floor and a ceiling >= 0 in the range of "
                          "f32, but got ")
           << op.getFloorAttr() << " and " << op.getCeilingAttr();
  if (ceiling > 0 && floor > ceiling)
    return op.emitOpError("expected floor <= ceiling, but got ")
           << op.getFloorAttr() << " and " << op.getCeilingAttr();
  return success();
}
} // namespace

LogicalResult ScalerUpdateOp::verify() {
  return success(succeeded(verifyFactors(*this)) &&
                 succeeded(verifyCounts(*this)) &&
                 succeeded(verifyBounds(*this)));
}

void UnscaleOp::getAsmResultNames(mlir::OpAsmSetValueNameFn setName) {
  if (!getUnscaled().empty())
    setName(getUnscaled().front(), "unscaled");
  setName(getFoundInf(), "found_inf");
}

void ScalerUpdateOp::getAsmResultNames(mlir::OpAsmSetValueNameFn setName) {
  setName(getNextScale(), "next_scale");
  setName(getNextGrowthTracker(), "next_growth_tracker");
  setName(getAtFloor(), "at_floor");
  if (Value tracker = getNextHysteresisTracker())
    setName(tracker, "next_hysteresis_tracker");
}
