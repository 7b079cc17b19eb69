#include "mpc/Dialect/Graph/IR/LossScalePresets.h"
#include "mlir/IR/Diagnostics.h"
#include "mpc/Support/Number.h"

using namespace mpc;
using namespace mpc::graph;

ArrayRef<LossScalePreset> graph::lossScalePresets() {
  // name, init, interval, hysteresis, refill, delay, floor, ceiling, on_floor
  static const LossScalePreset presets[] = {
      {"torch", 0x1p16, 2000, 1, "growth", 0, 0, 0, "hold",
       "torch/amp/grad_scaler.py"},
      {"apex", 0x1p16, 2000, 1, "growth", 0, 0, 0x1p24, "hold",
       "apex/amp/scaler.py"},
      {"apex-hysteresis", 0x1p16, 2000, 2, "clean", 0, 0, 0, "hold",
       "csrc/update_scale_hysteresis.cu of Apex"},
      {"megatron", 0x1p32, 1000, 2, "growth", 0, 1, 0, "hold",
       "megatron/core/optimizer/grad_scaler.py"},
      {"deepspeed", 0x1p16, 1000, 2, "growth", 1, 1, 0, "error",
       "deepspeed/runtime/fp16/loss_scaler.py"},
      {"deepspeed-consecutive", 0x1p16, 1000, 2, "clean", 1, 1, 0, "error",
       "the same with consecutive_hysteresis"},
      {"tf2", 0x1p15, 2000, 1, "growth", 0, 1, 0, "hold",
       "LossScaleOptimizer of TensorFlow 2"},
      {"keras", 0x1p15, 2000, 1, "growth", 0, 0, 0, "hold",
       "LossScaleOptimizer of Keras 3"},
      {"jmp", 0x1p16, 2000, 1, "growth", 0, 1, 0, "hold",
       "jmp/_src/loss_scale.py"},
      {"ort", 0x1p16, 2000, 1, "growth", 0, 1, 0x1p24, "hold",
       "orttraining/python/training/amp/loss_scaler.py"},
  };
  return presets;
}

static void apply(TrainingSettings &settings, const LossScalePreset &preset) {
  settings.scaleMode = "dynamic";
  settings.scaleInit = preset.init;
  settings.scaleGrowth = 2.0;
  settings.scaleBackoff = 0.5;
  settings.scaleInterval = preset.interval;
  settings.scaleHysteresis = preset.hysteresis;
  settings.scaleRefill = preset.refill.str();
  settings.scaleDelay = preset.delay;
  settings.scaleFloor = preset.floor;
  settings.scaleCeiling = preset.ceiling;
  settings.scaleGrowthGuard = true;
  settings.scaleDivideByNext = false;
  settings.scaleOnFloor = preset.onFloor.str();
}

StringRef graph::scaleInitOf(StringRef text) {
  return parseNumber<double>(text) ? "scale-init" : "";
}

LogicalResult graph::applyLossScale(TrainingSettings &settings, StringRef text,
                                    TrainingSettings::EmitError emitError) {
  if (auto value = parseNumber<double>(text)) {
    settings.scaleMode = "static";
    settings.scaleInit = *value;
    return success();
  }
  if (text == "none" || text == "static" || text == "dynamic") {
    settings.scaleMode = text.str();
    return success();
  }
  if (text == "megatron-constant") {
    settings.scaleMode = "static";
    return success();
  }
  std::string words = "none, static, dynamic, megatron-constant";
  for (const LossScalePreset &preset : lossScalePresets()) {
    if (text == preset.name) {
      apply(settings, preset);
      return success();
    }
    words += ", " + preset.name.str();
  }
  return emitError() << "expected " << words << " or a number, but got '"
                     << text << "'";
}
