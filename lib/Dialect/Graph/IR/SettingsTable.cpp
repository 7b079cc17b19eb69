// The settings of `graph.training`: one row each. A row is an option of every
// tool, of mpc-apply-options and of the passes that may override it.
#include "mpc/Dialect/Graph/IR/LossScalePresets.h"
#include "mpc/Dialect/Graph/IR/Optimizers.h"
#include "mpc/Dialect/Graph/IR/Profiles.h"
#include "mpc/Dialect/Graph/IR/Settings/SettingNeeds.h"
#include "mpc/Dialect/Graph/IR/TrainingSettings.h"
#include "mpc/Interfaces/TensorBytes.h"
#include "mpc/Support/Assert.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"
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
  return Setting{SettingKind::Update, texts.emplace_back(std::move(option)),
                 help, field}
      .with(kUngrouped);
}

/// "momentum of sgd or rmsprop".
Setting realRow(StringRef name, StringRef what) {
  return makeRow(name, what + " of " + optimizerNames(name),
                 RealHyperparameter{name});
}

Setting flagRow(StringRef name, StringRef what) {
  return makeRow(name, what + " of " + optimizerNames(name),
                 FlagHyperparameter{name});
}

} // namespace

/// The names of records that have one.
template <typename Records>
static std::vector<StringRef> namesOf(const Records &records) {
  std::vector<StringRef> names;
  for (const auto &record : records)
    names.push_back(record.name);
  return names;
}

static std::vector<StringRef> lossScaleWords() {
  std::vector<StringRef> words = {"none", "static", "dynamic",
                                  "megatron-constant"};
  llvm::append_range(words, namesOf(lossScalePresets()));
  return words;
}

//===-- What some are without effect without ------------------------------===//

std::vector<const SettingNeed *> graph::needsOf(SettingKind kind) {
  switch (kind) {
  case SettingKind::Precision:
    return {};
  case SettingKind::Scale:
  case SettingKind::Accumulate:
  case SettingKind::Reduce:
    return {&kStep};
  case SettingKind::Update:
    return {&kStep, &kUpdate};
  }
  llvm_unreachable("every kind has its needs");
}

const SettingNeed *graph::findUnmet(ArrayRef<const SettingNeed *> needs,
                                    const TrainingSettings &settings,
                                    BuiltParts parts) {
  for (const SettingNeed *need : needs)
    if (!need->isMet(settings, parts))
      return need;
  return nullptr;
}

std::string graph::describeUnmet(const SettingNeed &unmet) {
  return ("expected " + unmet.what +
          ", without which this has no effect: choose that, or leave this out")
      .str();
}

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
       SettingPreset{applyProfile, nullptr}, namesOf(profiles())},
      {precision,
       "precision",
       "the type that ops may run in, beside f32",
       &TS::precision,
       {"fp32", "bf16", "fp16"}},
      Setting{precision,
              "autocast",
              "how precisions are decided",
              &TS::autocast,
              {"cheapest", "torch", "tf", "whole"}}
          .with(kCasts),
      Setting{precision,
              "lists",
              "op lists of autocast=torch",
              &TS::lists,
              {"cuda", "cpu", "apex"}}
          .with(kTorch)
          .with(kCasts),
      Setting{precision,
              "output",
              "type of what leaves a model with autocast=whole",
              &TS::output,
              {"f32", "f16", "bf16"}}
          .with(kWhole),
      Setting{precision, "keep-normalization",
              "autocast=whole leaves normalization in f32",
              &TS::keepNormalization}
          .with(kWhole)
          .with(kCasts),
      {precision,
       "rounding",
       "whether ops that are fused round between each other (strict)",
       &TS::rounding,
       {"fused", "strict"}},

      {scale, "loss-scale",
       "none, dynamic, static, a number (static), or the name of a system's "
       "scaler (docs/LossScaling.md)",
       SettingPreset{applyLossScale, &TS::scaleMode, scaleInitOf},
       lossScaleWords()},
      Setting{scale, "scale-init", "first loss scale", &TS::scaleInit}.with(
          kScale),
      Setting{scale, "scale-growth", "factor after scale-interval finite steps",
              &TS::scaleGrowth}
          .with(kUpdate)
          .with(kDynamicScale),
      Setting{scale, "scale-backoff", "factor after a skipped step",
              &TS::scaleBackoff}
          .with(kUpdate)
          .with(kDynamicScale),
      Setting{scale, "scale-interval", "finite steps before the scale grows",
              &TS::scaleInterval, kSteps}
          .with(kUpdate)
          .with(kDynamicScale),
      Setting{scale, "scale-hysteresis", "overflows before the scale shrinks",
              &TS::scaleHysteresis, kSteps}
          .with(kUpdate)
          .with(kDynamicScale),
      Setting{scale,
              "scale-refill",
              "what restores scale-hysteresis; clean: a finite step",
              &TS::scaleRefill,
              {"growth", "clean"}}
          .with(kUpdate)
          .with(kDynamicScale)
          .with(kHysteresis),
      Setting{scale, "scale-delay",
              "finite steps more before the first growth after an overflow",
              &TS::scaleDelay, kStepsOrNone}
          .with(kUpdate)
          .with(kDynamicScale),
      Setting{scale, "scale-floor", "smallest loss scale, 0 for none",
              &TS::scaleFloor}
          .with(kUpdate)
          .with(kDynamicScale),
      Setting{scale, "scale-ceiling", "largest loss scale, 0 for none",
              &TS::scaleCeiling}
          .with(kUpdate)
          .with(kDynamicScale),
      Setting{scale, "scale-growth-guard", "refuse growth to infinity",
              &TS::scaleGrowthGuard}
          .with(kUpdate)
          .with(kDynamicScale),
      Setting{scale, "scale-divide-by-next",
              "unscale by the updated scale, as DeepSpeed does",
              &TS::scaleDivideByNext}
          .with(kUpdate)
          .with(kDynamicScale),
      Setting{scale,
              "scale-on-floor",
              "what to do when the scale cannot shrink",
              &TS::scaleOnFloor,
              {"hold", "warn", "error"}}
          .with(kUpdate)
          .with(kDynamicScale),
      Setting{scale,
              "scale-scope",
              "one scale for all losses, or one for each",
              &TS::scaleScope,
              {"shared", "per_loss"}}
          .with(kScale)
          .with(kManyLosses),

      Setting{update, "optimizer", optimizers,
              SettingPreset{setOptimizer, &TS::optimizer},
              namesOf(allOptimizers())}
          .ofForward()
          .with(kOptimizerUse)
          .with(kUngrouped),
      Setting{update, "lr", "learning rate", &TS::lr}
          .ofForward()
          .with(kOptimizerUse)
          .with(kUngrouped),
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
      Setting{update,
              "master",
              "type of parameters between steps",
              &TS::master,
              {"f32", "bf16", "f16", "bf16_kahan", "bf16_stochastic"}}
          .ofForward()
          .with(kOptimizer),
      {update, "clip-norm", "largest norm of all gradients, 0 for none",
       &TS::clipNorm},
      Setting{update, "clip-norm-type", "which norm: a number > 0, or inf",
              &TS::clipNormType}
          .with(kClip),
      {update, "clip-value", "largest element of a gradient, 0 for none",
       &TS::clipValue},
      Setting{update,
              "clip-formula",
              "whose formula of the factor",
              &TS::clipFormula,
              {"torch", "optax", "megatron"}}
          .with(kClipNorm),
      Setting{update,
              "clip-scope",
              "gradients that share a norm: all, or those of a parameter group",
              &TS::clipScope,
              {"global", "group"}}
          .with(kNormUse)
          .with(kManyGroups),
      {update,
       "clip-nonfinite",
       "what to do about a norm that is not finite",
       &TS::clipNonfinite,
       {"propagate", "error"}},
      {update,
       "schedule",
       "how the learning rate follows the steps",
       &TS::schedule,
       {"constant", "linear", "cosine", "step", "inverse_sqrt"}},
      {update, "warmup-steps", "steps of linear warm-up", &TS::warmupSteps,
       kStepsOrNone},
      Setting{update, "total-steps", "step at which linear and cosine end",
              &TS::totalSteps, kStepsOrNone}
          .with(kEnd),
      Setting{update, "final-factor", "rate at the end, as a factor",
              &TS::finalFactor}
          .with(kEnd),
      Setting{update, "decay-period", "steps between decays of schedule=step",
              &TS::decayPeriod, kStepsOrNone}
          .with(kDecay),
      Setting{update, "decay-gamma", "factor of schedule=step", &TS::decayGamma}
          .with(kDecay),
      Setting{
          update,
          "weight-copies",
          "16-bit weights are written by the update, or cast by every forward",
          &TS::weightCopies,
          {"persistent", "on-the-fly"}}
          .ofForward()
          .with(kNarrow)
          .with(kWideMaster),
      {update, "output-gradients",
       "a step has an output gradient.NAME for each parameter whose whole name "
       "matches; '.*' for all",
       PatternField{&TS::outputGradients}},

      {SettingKind::Accumulate, "accumulate", "micro-batches of a step",
       &TS::accumulate, kMicroBatches},
      Setting{SettingKind::Reduce, "bucket-bytes", "bytes of one all-reduce",
              &TS::bucketBytes, kBucketBytes}
          .with(kAllReduce),
  };
  return settings;
}

LogicalResult graph::verifyRange(StringRef name, int64_t value,
                                 TrainingSettings::EmitError emitError) {
  const Setting *setting =
      llvm::find_if(trainingSettings(), [&](const Setting &candidate) {
        return candidate.name == name;
      });
  MPC_ASSERT(setting != trainingSettings().end(),
             "expected a row of the table");
  IntegerRange range = setting->range;
  if (range.lowest <= value && value <= range.highest)
    return success();
  return emitError() << "expected " << name << " from " << range.lowest
                     << " to " << range.highest << ", but got " << value;
}

LogicalResult graph::verifyPattern(StringRef pattern,
                                   TrainingSettings::EmitError emitError) {
  std::string error;
  if (llvm::Regex(pattern).isValid(error))
    return success();
  return emitError() << "expected a regular expression, but got '" << pattern
                     << "': " << error;
}

llvm::Regex graph::wholeNames(StringRef pattern) {
  return llvm::Regex(("^(" + pattern + ")$").str());
}

/// "'w1', 'b1', ... (4 in all)".
static std::string listNames(ArrayRef<StringRef> names) {
  constexpr size_t kShown = 8;
  std::string text;
  for (StringRef name : names.take_front(kShown))
    text += (text.empty() ? "'" : ", '") + name.str() + "'";
  if (names.size() > kShown)
    text += ", ... (" + std::to_string(names.size()) + " in all)";
  return text;
}

LogicalResult graph::verifyMatch(StringRef pattern, ArrayRef<StringRef> names,
                                 TrainingSettings::EmitError emitError) {
  llvm::Regex regex = wholeNames(pattern);
  if (llvm::any_of(names, [&](StringRef name) { return regex.match(name); }))
    return success();
  InFlightDiagnostic error = emitError();
  error << "expected a pattern of the whole name of a parameter that is "
           "trained, but ";
  if (names.empty())
    return error << "there is none";
  return error << "it matches none of " << listNames(names)
               << "; '.*' matches all";
}

std::string graph::listWords(ArrayRef<StringRef> words) {
  return llvm::join(words.drop_back(), ", ") + " or " + words.back().str();
}

ArrayRef<StringRef> graph::wordsOf(std::string TrainingSettings::*field) {
  for (const Setting &setting : trainingSettings())
    if (auto *word = std::get_if<std::string TS::*>(&setting.field);
        word && *word == field)
      return setting.words;
  llvm_unreachable("every word is a setting");
}
