// The rows of the table of settings: `trainingSettings()` for those who need
// them when they are compiled. What a row is: SettingsTable.h.
#ifndef MPC_DIALECT_GRAPH_SETTINGS_SETTINGROWS_H
#define MPC_DIALECT_GRAPH_SETTINGS_SETTINGROWS_H

#include "mpc/Dialect/Graph/Settings/Members.h"
#include "mpc/Dialect/Graph/Settings/SettingNeeds.h"
#include "mpc/Interfaces/TensorBytes.h"

namespace mpc::graph::rows {

//===-- Ranges ------------------------------------------------------------===//

/// What trackers and the counter of steps, which are i32, can reach.
inline constexpr IntegerRange kSteps = {1, std::numeric_limits<int32_t>::max()};
inline constexpr IntegerRange kStepsOrNone = {0, kSteps.highest};
/// The loss is divided by their number, and a step sees all of them.
inline constexpr IntegerRange kMicroBatches = {1, 1 << 20};
inline constexpr IntegerRange kBucketBytes = {1, kMaxTensorBytes};
inline constexpr IntegerRange kBucketBytesOrNone = {0, kMaxTensorBytes};

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Arithmetic on the value is f32; it must not begin with infinity.
inline constexpr RealRange kAmount = {0, std::numeric_limits<float>::max()};
inline constexpr RealRange kFromZero = {0, kInfinity};
inline constexpr RealRange kPositive = {0, kInfinity, false};
inline constexpr RealRange kPositiveAmount = {
    0, std::numeric_limits<float>::max(), false};
inline constexpr RealRange kAboveOne = {1, kInfinity, false};
inline constexpr RealRange kBetween = {0, 1, false, false};
inline constexpr RealRange kShare = {0, 1, true, false};
inline constexpr RealRange kClosedShare = {0, 1};

//===-- The table ---------------------------------------------------------===//

/// The row of a hyperparameter: of use where somebody is to be updated by the
/// training's own optimizer.
template <auto member>
constexpr Setting hyperparameter(StringRef name, StringRef parameter,
                                 StringRef help, RealRange reals = {}) {
  return {.kind = SettingKind::Update,
          .name = name,
          .field = in<member>(parameter),
          .help = help,
          .reals = reals,
          .needs = {&kUngrouped}};
}

/// The row of what adapts a loss scale.
template <auto member>
constexpr Setting scaler(StringRef name, StringRef parameter, StringRef help,
                         RealRange reals = {}) {
  return {.kind = SettingKind::Scale,
          .name = name,
          .field = in<member>(parameter),
          .help = help,
          .reals = reals,
          .needs = {&kUpdate, &kDynamicScale}};
}

inline constexpr Setting kSettings[] = {
    {.kind = SettingKind::Precision,
     .name = "profile",
     .preset = Preset::Profile,
     .help = "settings of another system: torch-cuda, torch-cpu, apex-O0 to "
             "apex-O3, tf-fp16, tf-bf16, mixed_float16, mixed_bfloat16, "
             "jmp:<policy>"},
    {.kind = SettingKind::Precision,
     .name = "precision",
     .field = in<&Numerics::precision>("precision"),
     .help = "the type that ops may run in, beside f32"},
    {.kind = SettingKind::Precision,
     .name = "autocast",
     .field = in<&Numerics::autocast>("autocast"),
     .help = "how precisions are decided",
     .needs = {&kCasts}},
    {.kind = SettingKind::Precision,
     .name = "lists",
     .field = in<&Numerics::lists>("lists"),
     .help = "op lists of autocast=torch",
     .needs = {&kTorch, &kCasts}},
    {.kind = SettingKind::Precision,
     .name = "output",
     .field = in<&Numerics::output>("output"),
     .help = "type of what leaves a model with autocast=whole",
     .needs = {&kWhole}},
    {.kind = SettingKind::Precision,
     .name = "keep-normalization",
     .field = in<&Numerics::keepNormalization>("keep_normalization"),
     .help = "autocast=whole leaves normalization in f32",
     .needs = {&kWhole, &kCasts}},
    {.kind = SettingKind::Precision,
     .name = "rounding",
     .field = in<&Numerics::rounding>("rounding"),
     .help = "whether ops that are fused round between each other (fused)"},

    {.kind = SettingKind::Scale,
     .name = "loss-scale",
     .field = in<&LossScale::mode>("mode").alwaysWritten(),
     .preset = Preset::LossScale,
     .help = "none, dynamic, static, a number (static), or the name of a "
             "system's scaler (docs/LossScaling.md)"},
    {.kind = SettingKind::Scale,
     .name = "scale-init",
     .field = in<&LossScale::init>("init"),
     .help = "first loss scale",
     .reals = kPositive,
     .needs = {&kScale}},
    scaler<&LossScale::growth>("scale-growth", "growth",
                               "factor after scale-interval finite steps",
                               kAboveOne),
    scaler<&LossScale::backoff>("scale-backoff", "backoff",
                                "factor after a skipped step", kBetween),
    {.kind = SettingKind::Scale,
     .name = "scale-interval",
     .field = in<&LossScale::interval>("interval"),
     .help = "finite steps before the scale grows",
     .integers = kSteps,
     .needs = {&kUpdate, &kDynamicScale}},
    {.kind = SettingKind::Scale,
     .name = "scale-hysteresis",
     .field = in<&LossScale::hysteresis>("hysteresis"),
     .help = "overflows before the scale shrinks",
     .integers = kSteps,
     .needs = {&kUpdate, &kDynamicScale}},
    {.kind = SettingKind::Scale,
     .name = "scale-refill",
     .field = in<&LossScale::refill>("refill"),
     .help = "what restores scale-hysteresis; clean: a finite step",
     .needs = {&kUpdate, &kDynamicScale, &kHysteresis}},
    {.kind = SettingKind::Scale,
     .name = "scale-delay",
     .field = in<&LossScale::delay>("delay"),
     .help = "finite steps more before the first growth after an overflow",
     .integers = kStepsOrNone,
     .needs = {&kUpdate, &kDynamicScale}},
    scaler<&LossScale::floor>("scale-floor", "floor",
                              "smallest loss scale, 0 for 2^-126", kFromZero),
    scaler<&LossScale::ceiling>("scale-ceiling", "ceiling",
                                "largest loss scale, 0 for none", kFromZero),
    scaler<&LossScale::growthGuard>("scale-growth-guard", "growth_guard",
                                    "refuse growth to infinity"),
    scaler<&LossScale::divideByNext>(
        "scale-divide-by-next", "divide_by_next",
        "unscale by the updated scale, as DeepSpeed does"),
    scaler<&LossScale::onFloor>("scale-on-floor", "on_floor",
                                "what to do when the scale cannot shrink"),
    {.kind = SettingKind::Scale,
     .name = "scale-scope",
     .field = in<&LossScale::scope>("scope"),
     .help = "one scale for all losses, or one for each",
     .needs = {&kScale, &kManyLosses}},

    {.kind = SettingKind::Update,
     .name = "optimizer",
     .field = in<&OptimizerChoice::name>("name"),
     .preset = Preset::Optimizer,
     .help = "",
     .ofForward = true,
     .needs = {&kOptimizerUse, &kUngrouped}},
    {.kind = SettingKind::Update,
     .name = "lr",
     .field = in<&OptimizerChoice::lr>("lr"),
     .help = "learning rate",
     .reals = kAmount,
     .ofForward = true,
     .needs = {&kOptimizerUse, &kUngrouped}},
    hyperparameter<&Hyperparameters::weightDecay>(
        "weight-decay", "weight_decay", "weight decay", kAmount),
    hyperparameter<&Hyperparameters::momentum>("momentum", "momentum",
                                               "momentum", kAmount),
    hyperparameter<&Hyperparameters::dampening>(
        "dampening", "dampening", "dampening of the momentum", kClosedShare),
    hyperparameter<&Hyperparameters::nesterov>("nesterov", "nesterov",
                                               "Nesterov's momentum"),
    hyperparameter<&Hyperparameters::beta1>(
        "beta1", "beta1", "decay of the first moment", kShare),
    hyperparameter<&Hyperparameters::beta2>(
        "beta2", "beta2", "decay of the second moment", kShare),
    hyperparameter<&Hyperparameters::epsilon>(
        "epsilon", "epsilon", "term of the denominator", kAmount),
    hyperparameter<&Hyperparameters::alpha>("alpha", "alpha",
                                            "decay of the averages", kShare),
    hyperparameter<&Hyperparameters::centered>("centered", "centered",
                                               "variance around the mean"),
    hyperparameter<&Hyperparameters::lrDecay>(
        "lr-decay", "lr_decay", "decay of the learning rate", kAmount),
    hyperparameter<&Hyperparameters::initialAccumulator>(
        "initial-accumulator", "initial_accumulator", "first sum of squares",
        kAmount),
    {.kind = SettingKind::Update,
     .name = "master",
     .field = in<&OptimizerChoice::master>("master"),
     .help = "type of parameters between steps",
     .ofForward = true,
     .needs = {&kOptimizer}},
    {.kind = SettingKind::Update,
     .name = "clip-norm",
     .field = in<&Clip::norm>("norm"),
     .help = "largest norm of all gradients, 0 for none",
     .reals = kAmount},
    {.kind = SettingKind::Update,
     .name = "clip-norm-type",
     .field = in<&Clip::normType>("norm_type"),
     .help = "which norm: a number > 0, or inf",
     .needs = {&kClip}},
    {.kind = SettingKind::Update,
     .name = "clip-value",
     .field = in<&Clip::value>("value"),
     .help = "largest element of a gradient, 0 for none",
     .reals = kAmount},
    {.kind = SettingKind::Update,
     .name = "clip-formula",
     .field = in<&Clip::formula>("formula").called("clip formula"),
     .help = "whose formula of the factor",
     .needs = {&kClipNorm}},
    {.kind = SettingKind::Update,
     .name = "clip-scope",
     .field = in<&Clip::scope>("scope").called("clip scope"),
     .help = "gradients that share a norm: all, or those of a parameter group",
     .needs = {&kNormUse, &kManyGroups}},
    {.kind = SettingKind::Update,
     .name = "clip-nonfinite",
     .field = in<&Clip::nonfinite>("nonfinite"),
     .help = "what to do about a norm that is not finite"},
    {.kind = SettingKind::Update,
     .name = "schedule",
     .field = in<&Schedule::kind>("kind").called("schedule").alwaysWritten(),
     .help = "how the learning rate follows the steps"},
    {.kind = SettingKind::Update,
     .name = "warmup-steps",
     .field = in<&Schedule::warmup>("warmup"),
     .help = "steps of linear warm-up",
     .integers = kStepsOrNone},
    {.kind = SettingKind::Update,
     .name = "total-steps",
     .field = in<&Schedule::total>("total"),
     .help = "step at which linear and cosine end",
     .integers = kStepsOrNone,
     .needs = {&kEnd}},
    {.kind = SettingKind::Update,
     .name = "final-factor",
     .field = in<&Schedule::final>("final"),
     .help = "rate at the end, as a factor",
     .reals = kClosedShare,
     .needs = {&kEnd}},
    {.kind = SettingKind::Update,
     .name = "decay-period",
     .field = in<&Schedule::period>("period"),
     .help = "steps between decays of schedule=step",
     .integers = kStepsOrNone,
     .needs = {&kDecay}},
    {.kind = SettingKind::Update,
     .name = "decay-gamma",
     .field = in<&Schedule::gamma>("gamma"),
     .help = "factor of schedule=step",
     .reals = kPositiveAmount,
     .needs = {&kDecay}},
    {.kind = SettingKind::Update,
     .name = "weight-copies",
     .field = in<&Numerics::weightCopies>("weight_copies"),
     .help = "16-bit weights are written by the update, or cast by every "
             "forward",
     .ofForward = true,
     .needs = {&kNarrow, &kWideMaster}},
    {.kind = SettingKind::Update,
     .name = "skipped-statistics",
     .field = in<&StepParts::skippedStatistics>("skipped_statistics"),
     .help = "what a skipped step does to running statistics; update: it moves "
             "them all the same, an overflow into them (PyTorch)",
     .needs = {&kUpdate, &kScale, &kStatistics}},
    {.kind = SettingKind::Update,
     .name = "output-gradients",
     .field = in<&StepOutputs::gradients>("output_gradients"),
     .help = "a step has an output gradient.NAME for each parameter whose "
             "whole name matches; '.*' for all"},
    {.kind = SettingKind::Update,
     .name = "drop-outputs",
     .field = in<&StepOutputs::dropped>("drop_outputs"),
     .help = "a step has no output of the model whose whole name matches; "
             "forward still has it, where a memory limit has room",
     .named = Named::Outputs},

    {.kind = SettingKind::Accumulate,
     .name = "accumulate",
     .field = in<&StepParts::accumulate>("accumulate"),
     .help = "micro-batches of a step",
     .integers = kMicroBatches},
    {.kind = SettingKind::Reduce,
     .name = "bucket-bytes",
     .field = in<&StepParts::bucketBytes>("bucket_bytes"),
     .help = "most bytes of one all-reduce",
     .integers = kBucketBytes,
     .needs = {&kAllReduce}},
    {.kind = SettingKind::Reduce,
     .name = "first-bucket-bytes",
     .field = in<&StepParts::firstBucketBytes>("first_bucket_bytes"),
     .help = "the same of the first one of each type; 0: as of all others",
     .integers = kBucketBytesOrNone,
     .needs = {&kAllReduce}},
    {.kind = SettingKind::Reduce,
     .name = "reduce-type",
     .field = in<&StepParts::reduceType>("reduce_type"),
     .help = "gradients are cast to this type for the all-reduce, and back",
     .needs = {&kAllReduce}},
    {.kind = SettingKind::Reduce,
     .name = "reduce-each",
     .field = in<&StepParts::reduceEach>("reduce_each"),
     .help = "whether gradients are reduced once a step, or in each of its "
             "micro-batches",
     .needs = {&kAllReduce, &kManyMicroBatches}},
    {.kind = SettingKind::Reduce,
     .name = "link-latency",
     .field = in<&StepParts::linkLatency>("link_latency"),
     .help = "microseconds before bytes flow between ranks",
     .reals = kAmount,
     .needs = {&kAllReduce, &kLink}},
    {.kind = SettingKind::Reduce,
     .name = "link-bandwidth",
     .field = in<&StepParts::linkBandwidth>("link_bandwidth"),
     .help = "GB/s between ranks: buckets are as large as 90 % of it asks for, "
             "the last one smaller",
     .reals = kAmount,
     .needs = {&kAllReduce}},
};

//===-- Questions at compile time -----------------------------------------===//

constexpr bool isSame(StringRef one, StringRef other) {
  return std::string_view(one.data(), one.size()) ==
         std::string_view(other.data(), other.size());
}

/// Whether there is a row for the hyperparameter `name` of an optimizer.
consteval bool hasHyperparameter(StringRef name) {
  for (const Setting &row : kSettings)
    if (row.field.part == Part::Hyperparameters &&
        isSame(row.field.parameter, name))
      return true;
  return false;
}

} // namespace mpc::graph::rows

#endif // MPC_DIALECT_GRAPH_SETTINGS_SETTINGROWS_H
