// How a model is trained: the fields that can be set, each with its default.
//
// A part is what one attribute of the graph dialect holds (TrainingAttrs.td),
// or what one option of a tool can say besides. What a field is called, what
// its values may be and what it means says its row in the table
// (SettingRows.h); a field without a row does not build.
#ifndef MPC_DIALECT_GRAPH_SETTINGS_TRAININGSETTINGS_H
#define MPC_DIALECT_GRAPH_SETTINGS_TRAININGSETTINGS_H

#include "mpc/Dialect/Graph/Settings/Real.h"
#include "mpc/Dialect/Graph/Settings/Words.h"

namespace mpc::graph {

/// A regular expression of whole names; empty: of none.
struct Pattern {
  std::string text;

  friend llvm::hash_code hash_value(const Pattern &pattern) {
    return llvm::hash_value(pattern.text);
  }
};

/// At which types ops run, and how rounding is taken.
struct Numerics {
  Precision precision = Precision::Fp32;
  PrecisionMode autocast = PrecisionMode::Cheapest;
  TorchLists lists = TorchLists::Cuda;
  OutputType output = OutputType::F32;
  bool keepNormalization = false;
  RoundingMode rounding = RoundingMode::Fused;
  WeightCopies weightCopies = WeightCopies::Persistent;

  bool operator==(const Numerics &) const = default;
};

/// Defaults are PyTorch's GradScaler, and a floor, which it lacks.
struct LossScale {
  ScaleMode mode = ScaleMode::None;
  Real init = 65536.0;
  Real growth = 2.0;
  Real backoff = 0.5;
  int64_t interval = 2000;
  int64_t hysteresis = 1;
  HysteresisRefill refill = HysteresisRefill::Growth;
  int64_t delay = 0;
  Real floor = 0x1p-14;
  Real ceiling = 0.0;
  bool growthGuard = true;
  bool divideByNext = false;
  OnFloor onFloor = OnFloor::Hold;
  ScaleScope scope = ScaleScope::Shared;

  bool operator==(const LossScale &) const = default;
};

struct OptimizerChoice {
  std::string name; ///< Empty: none chosen.
  std::optional<Real> lr;
  MasterType master = MasterType::F32;
};

/// Those that somebody gave, by the names of Optimizer.td. What is not given is
/// the optimizer's own default.
struct Hyperparameters {
  std::optional<Real> weightDecay;
  std::optional<Real> momentum;
  std::optional<Real> dampening;
  std::optional<bool> nesterov;
  std::optional<Real> beta1;
  std::optional<Real> beta2;
  std::optional<Real> epsilon;
  std::optional<Real> alpha;
  std::optional<bool> centered;
  std::optional<Real> lrDecay;
  std::optional<Real> initialAccumulator;
};

struct Clip {
  Real norm = 0.0;
  PNorm normType;
  Real value = 0.0;
  ClipFormula formula = ClipFormula::Torch;
  NormScope scope = NormScope::Global;
  NonfiniteNorm nonfinite = NonfiniteNorm::Propagate;

  bool operator==(const Clip &) const = default;
};

struct Schedule {
  ScheduleKind kind = ScheduleKind::Constant;
  int64_t warmup = 0;
  int64_t total = 0;
  Real final = 0.0;
  int64_t period = 0;
  Real gamma = 0.1;

  bool operator==(const Schedule &) const = default;
};

/// Micro-batches and messages of a step, and what it does if it is skipped.
struct StepParts {
  int64_t accumulate = 1;
  SkippedStatistics skippedStatistics = SkippedStatistics::Keep;
  int64_t bucketBytes = 26214400;
  int64_t firstBucketBytes = 0; ///< 0: as of all others.
  ReduceType reduceType = ReduceType::Gradient;
  ReduceEach reduceEach = ReduceEach::Step;
  Real linkLatency = 0.0;   ///< Microseconds.
  Real linkBandwidth = 0.0; ///< GB/s; 0: buckets do not ask what a link does.

  bool operator==(const StepParts &) const = default;
};

struct StepOutputs {
  Pattern gradients; ///< Which gradients are outputs.
  Pattern dropped;   ///< Which outputs of the model are none of a step.
};

/// `graph.training` in a form that can be changed field by field. The optimizer
/// can be chosen after its hyperparameters.
struct TrainingSettings {
  Numerics numerics;
  LossScale lossScale;
  OptimizerChoice optimizer;
  Hyperparameters hyperparameters;
  Clip clip;
  Schedule schedule;
  StepParts step;
  StepOutputs outputs;
  /// Of ParameterGroupAttr, or null; has no option.
  mlir::ArrayAttr groups;
};

llvm::hash_code hash_value(const Numerics &part);
llvm::hash_code hash_value(const LossScale &part);
llvm::hash_code hash_value(const Clip &part);
llvm::hash_code hash_value(const Schedule &part);
llvm::hash_code hash_value(const StepParts &part);

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_SETTINGS_TRAININGSETTINGS_H
