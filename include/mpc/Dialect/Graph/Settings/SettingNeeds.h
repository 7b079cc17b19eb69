// No option is without effect: what options need to have one.
//
// The rule, for every option of how to train and of how to compile: it is an
// error where it does nothing, whether another option, a flag of the tool or
// the model is the reason. What is left out costs nothing, and an option that
// does nothing is most often one that was meant to do something. Three things
// are not options and may be unused in silence: what a model says itself, what
// a profile or another preset stands for, and what an option overrides.
//
// Rows of the table of settings name their needs (SettingRows.h), and
// options of how to compile do (lib/Pipelines/PipelineOptions.cpp).
#ifndef MPC_DIALECT_GRAPH_SETTINGS_SETTINGNEEDS_H
#define MPC_DIALECT_GRAPH_SETTINGS_SETTINGNEEDS_H

#include "mpc/Dialect/Graph/Settings/SettingsTable.h"

namespace mpc::graph {

/// What is built of a model, and of what kind that is, as far as settings are
/// of use to it. All is there until somebody looked.
struct BuiltParts {
  bool step = true;        ///< Not the entry forward alone.
  bool update = true;      ///< A step that changes state: no probe.
  bool allReduce = true;   ///< Ranks are combined.
  bool manyLosses = true;  ///< Which can have a scale each.
  bool manyGroups = true;  ///< Gradients of two groups or more.
  bool ungrouped = true;   ///< Some parameters to train are in no group.
  bool wideGroups = true;  ///< Parameter groups have masters of f32.
  bool noOptimizer = true; ///< The model names none.
  bool statistics = true;  ///< The model has running statistics.
};

/// What a setting is without effect without.
struct SettingNeed {
  StringRef what; ///< "schedule linear or cosine", for messages.
  bool (*isMet)(const TrainingSettings &settings, BuiltParts parts);
};

/// All needs of a setting; those of its kind come first: how to train is
/// nothing to a program that cannot; at which precision to run is.
SmallVector<const SettingNeed *> needsOf(const Setting &setting);

/// The first of `needs` that is not met; null if all are.
const SettingNeed *findUnmet(ArrayRef<const SettingNeed *> needs,
                             const TrainingSettings &settings,
                             BuiltParts parts);

/// Why what needs `unmet` is refused, for messages.
std::string describeUnmet(const SettingNeed &unmet);

//===-- What is built -----------------------------------------------------===//

inline constexpr SettingNeed kStep = {
    "a training step (a loss, a parameter that is not frozen, and not "
    "inference alone)",
    [](const TrainingSettings &, BuiltParts parts) { return parts.step; }};
inline constexpr SettingNeed kUpdate = {
    "a step that changes state (no probe)",
    [](const TrainingSettings &, BuiltParts parts) { return parts.update; }};
inline constexpr SettingNeed kAllReduce = {
    "reduce average or sum",
    [](const TrainingSettings &, BuiltParts parts) { return parts.allReduce; }};
inline constexpr SettingNeed kManyMicroBatches = {
    "two micro-batches or more", [](const TrainingSettings &s, BuiltParts) {
      return s.step.accumulate > 1;
    }};
inline constexpr SettingNeed kLink = {
    "a link bandwidth above 0", [](const TrainingSettings &s, BuiltParts) {
      return s.step.linkBandwidth.value > 0;
    }};
/// One loss has one scale.
inline constexpr SettingNeed kManyLosses = {
    "two losses or more", [](const TrainingSettings &, BuiltParts parts) {
      return parts.manyLosses;
    }};
/// The norm of the only group is that of all gradients.
inline constexpr SettingNeed kManyGroups = {
    "two parameter groups or more that are trained",
    [](const TrainingSettings &, BuiltParts parts) {
      return parts.manyGroups;
    }};

//===-- Precision ---------------------------------------------------------===//

inline constexpr SettingNeed kNarrow = {
    "precision bf16 or fp16", [](const TrainingSettings &s, BuiltParts) {
      return s.numerics.precision != Precision::Fp32;
    }};
/// A model whose outputs are rounded has casts in fp32, too.
inline constexpr SettingNeed kCasts = {
    "precision bf16 or fp16", [](const TrainingSettings &s, BuiltParts) {
      return s.numerics.precision != Precision::Fp32 ||
             (s.numerics.autocast == PrecisionMode::Whole &&
              s.numerics.output != OutputType::F32);
    }};
inline constexpr SettingNeed kTorch = {
    "autocast torch", [](const TrainingSettings &s, BuiltParts) {
      return s.numerics.autocast == PrecisionMode::Torch;
    }};
inline constexpr SettingNeed kWhole = {
    "autocast whole", [](const TrainingSettings &s, BuiltParts) {
      return s.numerics.autocast == PrecisionMode::Whole;
    }};

//===-- Loss scale --------------------------------------------------------===//

inline constexpr SettingNeed kScale = {
    "a loss scale", [](const TrainingSettings &s, BuiltParts) {
      return s.lossScale.mode != ScaleMode::None;
    }};
inline constexpr SettingNeed kDynamicScale = {
    "a dynamic loss scale", [](const TrainingSettings &s, BuiltParts) {
      return s.lossScale.mode == ScaleMode::Dynamic;
    }};
inline constexpr SettingNeed kHysteresis = {
    "a scale hysteresis above 1", [](const TrainingSettings &s, BuiltParts) {
      return s.lossScale.hysteresis > 1;
    }};

inline constexpr SettingNeed kStatistics = {
    "running statistics (of a batch_norm)",
    [](const TrainingSettings &, BuiltParts parts) {
      return parts.statistics;
    }};

//===-- Optimizer, masters and copies -------------------------------------===//

inline constexpr SettingNeed kOptimizer = {
    "an optimizer", [](const TrainingSettings &s, BuiltParts) {
      return !s.optimizer.name.empty();
    }};
/// Which optimizer there is tells a forward in what type parameters are kept;
/// a probe is taken of a step, which has one.
inline constexpr SettingNeed kOptimizerUse = {
    "a training step that changes state (a loss, a parameter that is not "
    "frozen, not inference alone, no probe) or a master of 16 bits",
    [](const TrainingSettings &s, BuiltParts parts) {
      return parts.update || s.optimizer.master != MasterType::F32 ||
             (parts.step && parts.noOptimizer);
    }};
/// Groups have optimizers of their own. A master is that of what is frozen,
/// too.
inline constexpr SettingNeed kUngrouped = {
    "a parameter to train that no parameter group takes",
    [](const TrainingSettings &s, BuiltParts parts) {
      return !parts.step || parts.ungrouped ||
             s.optimizer.master != MasterType::F32;
    }};
/// Masters of 16 bits are read as they are.
inline constexpr SettingNeed kWideMaster = {
    "a master of f32", [](const TrainingSettings &s, BuiltParts parts) {
      return s.optimizer.name.empty() ||
             s.optimizer.master == MasterType::F32 || parts.wideGroups;
    }};

//===-- Clip and schedule -------------------------------------------------===//

/// The norm is an output beside any clip.
inline constexpr SettingNeed kClip = {
    "a clip norm, a clip value or a check of the norm",
    [](const TrainingSettings &s, BuiltParts) {
      return s.clip.norm.value > 0 || s.clip.value.value > 0 ||
             s.clip.nonfinite == NonfiniteNorm::Error;
    }};
inline constexpr SettingNeed kClipNorm = {
    "a clip norm", [](const TrainingSettings &s, BuiltParts) {
      return s.clip.norm.value > 0;
    }};
inline constexpr SettingNeed kNormUse = {
    "a clip norm or a check of the norm",
    [](const TrainingSettings &s, BuiltParts) {
      return s.clip.norm.value > 0 || s.clip.nonfinite == NonfiniteNorm::Error;
    }};
inline constexpr SettingNeed kEnd = {
    "schedule linear or cosine", [](const TrainingSettings &s, BuiltParts) {
      return s.schedule.kind == ScheduleKind::Linear ||
             s.schedule.kind == ScheduleKind::Cosine;
    }};
inline constexpr SettingNeed kDecay = {
    "schedule step", [](const TrainingSettings &s, BuiltParts) {
      return s.schedule.kind == ScheduleKind::Step;
    }};

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_SETTINGS_SETTINGNEEDS_H
