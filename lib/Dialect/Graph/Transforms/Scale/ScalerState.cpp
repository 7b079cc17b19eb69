#include "ScalerState.h"
#include "mpc/Dialect/Graph/IR/Ops/Step/LossScale.h"
#include <algorithm>
#include <limits>

using namespace mpc;
using namespace mpc::graph;

/// A count that starts at `first`.
static Attribute startAt(int64_t first, MLIRContext *context) {
  if (first == 0)
    return ZerosAttr::get(context);
  return FillAttr::get(context, Real(static_cast<double>(first)));
}

FailureOr<ScalerState> graph::addScalerState(LossScaleAttr settings,
                                             StringRef loss,
                                             SignatureEditor &signature) {
  MLIRContext *context = settings.getContext();
  ScalerState state;
  std::string prefix =
      loss.empty() ? "scaler." : ("scaler." + loss + ".").str();
  Builder builder(context);
  auto add = [&](StringRef name, Type element, Attribute init, Value &value) {
    bool isScale = name == "scale";
    FailureOr<Value> added = signature.addState(
        {prefix + name.str(), RankedTensorType::get({}, element),
         isScale ? Role::LossScale : Role::Scaler, init, loss});
    value = added.value_or(Value());
    return succeeded(added);
  };
  bool isDynamic = settings->mode == ScaleMode::Dynamic;
  int64_t hysteresis = settings->hysteresis;
  if (!add("scale", builder.getF32Type(),
           FillAttr::get(context, settings->init), state.scale) ||
      (isDynamic &&
       !add("growth_tracker", builder.getI32Type(),
            startAt(-settings->delay, context), state.growthTracker)) ||
      (isDynamic && hysteresis > 1 &&
       !add("hysteresis_tracker", builder.getI32Type(),
            startAt(hysteresis, context), state.hysteresisTracker)))
    return failure();
  return state;
}

/// A scale that no floor holds would sink to 0, by way of numbers that devices
/// take for 0 and of which the reciprocal is infinite: no step after that would
/// ever be taken. So it stops at the smallest normal number, or where it
/// starts.
static Real findFloor(LossScaleAttr settings) {
  if (settings->floor.value != 0)
    return settings->floor;
  constexpr double least = std::numeric_limits<float>::min();
  return std::min(least, settings->init.value);
}

ScalerUpdateOp graph::buildScalerUpdate(mlir::ImplicitLocOpBuilder &builder,
                                        LossScaleAttr settings,
                                        const ScalerState &state,
                                        Value foundInf) {
  auto real = [&](Real value) { return builder.getF64FloatAttr(value.value); };
  auto integer = [&](int64_t value) {
    return builder.getI64IntegerAttr(value);
  };
  return ScalerUpdateOp::create(
      builder, state.scale, state.growthTracker, foundInf,
      state.hysteresisTracker, real(settings->growth), real(settings->backoff),
      integer(settings->interval), integer(settings->hysteresis),
      builder.getStringAttr(stringifyEnum(settings->refill)),
      integer(settings->delay), real(findFloor(settings)),
      real(settings->ceiling), builder.getBoolAttr(settings->growthGuard));
}
