#include "mpc/Dialect/Graph/Training/LossScalePresets.h"
#include "mpc/Support/Number.h"
#include "llvm/ADT/StringExtras.h"

using namespace mpc;
using namespace mpc::graph;

ArrayRef<LossScalePreset> graph::lossScalePresets() {
  // name, init, interval, hysteresis, refill, delay, floor, ceiling, on_floor
  static const LossScalePreset presets[] = {
      {"torch", 0x1p16, 2000, 1, HysteresisRefill::Growth, 0, 0, 0,
       OnFloor::Hold, "torch/amp/grad_scaler.py"},
      {"apex", 0x1p16, 2000, 1, HysteresisRefill::Growth, 0, 0, 0x1p24,
       OnFloor::Hold, "apex/amp/scaler.py"},
      {"apex-hysteresis", 0x1p16, 2000, 2, HysteresisRefill::Clean, 0, 0, 0,
       OnFloor::Hold, "csrc/update_scale_hysteresis.cu of Apex"},
      {"megatron", 0x1p32, 1000, 2, HysteresisRefill::Growth, 0, 1, 0,
       OnFloor::Hold, "megatron/core/optimizer/grad_scaler.py"},
      {"deepspeed", 0x1p16, 1000, 2, HysteresisRefill::Growth, 1, 1, 0,
       OnFloor::Error, "deepspeed/runtime/fp16/loss_scaler.py"},
      {"deepspeed-consecutive", 0x1p16, 1000, 2, HysteresisRefill::Clean, 1, 1,
       0, OnFloor::Error, "the same with consecutive_hysteresis"},
      {"tf2", 0x1p15, 2000, 1, HysteresisRefill::Growth, 0, 1, 0, OnFloor::Hold,
       "LossScaleOptimizer of TensorFlow 2"},
      {"keras", 0x1p15, 2000, 1, HysteresisRefill::Growth, 0, 0, 0,
       OnFloor::Hold, "LossScaleOptimizer of Keras 3"},
      {"jmp", 0x1p16, 2000, 1, HysteresisRefill::Growth, 0, 1, 0, OnFloor::Hold,
       "jmp/_src/loss_scale.py"},
      {"ort", 0x1p16, 2000, 1, HysteresisRefill::Growth, 0, 1, 0x1p24,
       OnFloor::Hold, "orttraining/python/training/amp/loss_scaler.py"},
  };
  return presets;
}

/// All constants of the scaler. Which losses share a scale is none of them.
static void apply(LossScale &scale, const LossScalePreset &preset) {
  ScaleScope scope = scale.scope;
  scale = LossScale();
  scale.scope = scope;
  scale.mode = ScaleMode::Dynamic;
  scale.init = preset.init;
  scale.interval = preset.interval;
  scale.hysteresis = preset.hysteresis;
  scale.refill = preset.refill;
  scale.delay = preset.delay;
  scale.floor = preset.floor;
  scale.ceiling = preset.ceiling;
  scale.onFloor = preset.onFloor;
}

StringRef graph::scaleInitOf(StringRef text) {
  return parseNumber<double>(text) ? "scale-init" : "";
}

/// A static scale whose first value Megatron's user gives.
static constexpr StringRef kMegatronConstant = "megatron-constant";

std::vector<StringRef> graph::lossScaleWords() {
  std::vector<StringRef> words = listOf<ScaleMode>();
  words.push_back(kMegatronConstant);
  for (const LossScalePreset &preset : lossScalePresets())
    words.push_back(preset.name);
  return words;
}

LogicalResult graph::applyLossScale(TrainingSettings &settings, StringRef text,
                                    EmitError emitError) {
  LossScale &scale = settings.lossScale;
  if (auto value = parseNumber<double>(text)) {
    scale.mode = ScaleMode::Static;
    scale.init = *value;
    return success();
  }
  if (auto mode = symbolizeEnum<ScaleMode>(text)) {
    scale.mode = *mode;
    return success();
  }
  if (text == kMegatronConstant) {
    scale.mode = ScaleMode::Static;
    return success();
  }
  for (const LossScalePreset &preset : lossScalePresets())
    if (text == preset.name) {
      apply(scale, preset);
      return success();
    }
  return emitError() << "expected " << llvm::join(lossScaleWords(), ", ")
                     << " or a number, but got '" << text << "'";
}
