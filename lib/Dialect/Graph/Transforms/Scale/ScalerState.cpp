#include "ScalerState.h"
#include "mpc/Dialect/Graph/IR/Ops/Step/LossScale.h"

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
      integer(settings->delay), real(settings->floor), real(settings->ceiling),
      builder.getBoolAttr(settings->growthGuard));
}
