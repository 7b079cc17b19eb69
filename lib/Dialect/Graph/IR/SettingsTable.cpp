// The settings of `graph.training`: one row each. A row is an option of every
// tool, of mpc-apply-options and of the passes that may override it.
#include "mpc/Dialect/Graph/IR/LossScalePresets.h"
#include "mpc/Dialect/Graph/IR/Optimizers.h"
#include "mpc/Dialect/Graph/IR/Profiles.h"
#include "mpc/Dialect/Graph/IR/TrainingSettings.h"
#include "mpc/Interfaces/TensorBytes.h"
#include <deque>

using namespace mpc;
using namespace mpc::graph;
using TS = TrainingSettings;

//===-- Presets ----------------------------------------------------------===//

/// Another optimizer keeps the settings that it uses, too; those that it does
/// not use, which a model may have given the former one, are dropped.
static LogicalResult setOptimizer(TrainingSettings &settings, StringRef text,
                                  TrainingSettings::EmitError) {
  bool isOther = text != settings.optimizer;
  settings.optimizer = text.str(); // judged by the attribute
  const OptimizerRecord *record = findOptimizer(text);
  if (!record || !isOther)
    return success();
  std::erase_if(settings.hyperparameters,
                [&](const auto &entry) { return !record->takes(entry.first); });
  return success();
}

//===-- Hyperparameters --------------------------------------------------===//

namespace {

/// A row for a hyperparameter: the option has its name with dashes.
Setting makeRow(StringRef name, const Twine &what, SettingField field) {
  static std::deque<std::string> texts; // Rows refer to them.
  std::string option = name.str();
  std::replace(option.begin(), option.end(), '_', '-');
  StringRef help = texts.emplace_back(what.str());
  return {SettingKind::Update, texts.emplace_back(std::move(option)), help,
          field};
}

/// "momentum of sgd or rmsprop".
Setting realRow(StringRef name, StringRef what) {
  return makeRow(name, what + " of " + optimizerNames(name),
                 RealHyperparameter{name});
}

Setting flagRow(StringRef name, StringRef what) {
  return makeRow(name, "true or false: " + what + " of " + optimizerNames(name),
                 FlagHyperparameter{name});
}

} // namespace

//===-- The table --------------------------------------------------------===//

/// What trackers and the counter of steps, which are i32, can reach.
constexpr IntegerRange kSteps = {1, std::numeric_limits<int32_t>::max()};
constexpr IntegerRange kStepsOrNone = {0, kSteps.highest};
/// The loss is divided by their number, and a step sees all of them.
constexpr IntegerRange kMicroBatches = {1, 1 << 20};
constexpr IntegerRange kBucketBytes = {1, kMaxTensorBytes};

ArrayRef<Setting> graph::trainingSettings() {
  constexpr auto precision = SettingKind::Precision;
  constexpr auto scale = SettingKind::Scale, update = SettingKind::Update;
  static const std::string optimizers = optimizerNames();
  static const Setting settings[] = {
      {precision, "profile",
       "settings of another system: torch-cuda, torch-cpu, apex-O0 to apex-O3, "
       "tf-fp16, tf-bf16, mixed_float16, mixed_bfloat16, jmp:<policy>",
       SettingPreset{applyProfile, nullptr}},
      {precision, "precision", "fp32, bf16 or fp16", &TS::precision},
      {precision, "autocast",
       "how precisions are decided: cheapest, torch, tf or whole",
       &TS::autocast},
      {precision, "lists", "op lists of autocast=torch: cuda, cpu or apex",
       &TS::lists},
      {precision, "output",
       "type of what leaves a model with autocast=whole: f32, f16 or bf16",
       &TS::output},
      {precision, "keep-normalization",
       "true or false: autocast=whole leaves normalization in f32",
       &TS::keepNormalization},
      {precision, "rounding", "fused or strict", &TS::rounding},

      {scale, "loss-scale",
       "none, dynamic, static, a number (static), or the name of a system's "
       "scaler (docs/LossScaling.md)",
       SettingPreset{applyLossScale, &TS::scaleMode}},
      {scale, "scale-init", "first loss scale", &TS::scaleInit},
      {scale, "scale-growth", "factor after scale-interval finite steps",
       &TS::scaleGrowth},
      {scale, "scale-backoff", "factor after a skipped step",
       &TS::scaleBackoff},
      {scale, "scale-interval", "finite steps before the scale grows",
       &TS::scaleInterval, kSteps},
      {scale, "scale-hysteresis", "overflows before the scale shrinks",
       &TS::scaleHysteresis, kSteps},
      {scale, "scale-refill",
       "what restores scale-hysteresis: growth or clean (a finite step)",
       &TS::scaleRefill},
      {scale, "scale-delay",
       "finite steps more before the first growth after an overflow",
       &TS::scaleDelay, kStepsOrNone},
      {scale, "scale-floor", "smallest loss scale, 0 for none",
       &TS::scaleFloor},
      {scale, "scale-ceiling", "largest loss scale, 0 for none",
       &TS::scaleCeiling},
      {scale, "scale-growth-guard", "true or false: refuse growth to infinity",
       &TS::scaleGrowthGuard},
      {scale, "scale-divide-by-next",
       "true or false: unscale by the updated scale, as DeepSpeed does",
       &TS::scaleDivideByNext},
      {scale, "scale-on-floor",
       "when the scale cannot shrink: hold, warn or error", &TS::scaleOnFloor},
      {scale, "scale-scope", "one scale for all losses: shared, or per_loss",
       &TS::scaleScope},

      {update, "optimizer", optimizers,
       SettingPreset{setOptimizer, &TS::optimizer}},
      {update, "lr", "learning rate", &TS::lr},
      realRow("weight_decay", "weight decay"),
      realRow("momentum", "momentum"),
      realRow("dampening", "dampening of the momentum"),
      flagRow("nesterov", "Nesterov's momentum"),
      realRow("beta1", "decay of the first moment"),
      realRow("beta2", "decay of the second moment"),
      realRow("epsilon", "term of the denominator"),
      realRow("alpha", "decay of the averages"),
      flagRow("centered", "variance around the mean"),
      realRow("lr_decay", "decay of the learning rate"),
      realRow("initial_accumulator", "first sum of squares"),
      {update, "master",
       "parameters between steps: f32, bf16, f16, bf16_kahan, "
       "bf16_stochastic",
       &TS::master},
      {update, "clip-norm", "largest norm of all gradients, 0 for none",
       &TS::clipNorm},
      {update, "clip-norm-type", "which norm: a number > 0, or inf",
       &TS::clipNormType},
      {update, "clip-value", "largest element of a gradient, 0 for none",
       &TS::clipValue},
      {update, "clip-formula", "torch, optax or megatron", &TS::clipFormula},
      {update, "clip-scope", "gradients that share a norm: global or group",
       &TS::clipScope},
      {update, "clip-nonfinite", "a norm that is not finite: propagate, error",
       &TS::clipNonfinite},
      {update, "schedule", "constant, linear, cosine, step or inverse_sqrt",
       &TS::schedule},
      {update, "warmup-steps", "steps of linear warm-up", &TS::warmupSteps,
       kStepsOrNone},
      {update, "total-steps", "step at which linear and cosine end",
       &TS::totalSteps, kStepsOrNone},
      {update, "final-factor", "rate at the end, as a factor",
       &TS::finalFactor},
      {update, "decay-period", "steps between decays of schedule=step",
       &TS::decayPeriod, kStepsOrNone},
      {update, "decay-gamma", "factor of schedule=step", &TS::decayGamma},
      {update, "weight-copies",
       "16-bit weights: persistent (written by the update) or on-the-fly",
       &TS::weightCopies},

      {SettingKind::Accumulate, "accumulate", "micro-batches of a step",
       &TS::accumulate, kMicroBatches},
      {SettingKind::Reduce, "bucket-bytes", "bytes of one all-reduce",
       &TS::bucketBytes, kBucketBytes},
  };
  return settings;
}

LogicalResult graph::verifyRange(StringRef name, int64_t value,
                                 TrainingSettings::EmitError emitError) {
  const Setting *setting =
      llvm::find_if(trainingSettings(), [&](const Setting &candidate) {
        return candidate.name == name;
      });
  assert(setting != trainingSettings().end() && "expected a row of the table");
  IntegerRange range = setting->range;
  if (range.lowest <= value && value <= range.highest)
    return success();
  return emitError() << "expected " << name << " from " << range.lowest
                     << " to " << range.highest << ", but got " << value;
}
