// The loss scalers of other systems as settings of ours, in one table.
// docs/LossScaling.md explains the state machine that they parametrise.
#ifndef MPC_DIALECT_GRAPH_TRAINING_LOSSSCALEPRESETS_H
#define MPC_DIALECT_GRAPH_TRAINING_LOSSSCALEPRESETS_H

#include "mpc/Dialect/Graph/Settings/SettingsTable.h"

namespace mpc::graph {

/// What "loss-scale=<name>" sets. Each is that system's default; what a system
/// leaves to its caller is as in PyTorch.
struct LossScalePreset {
  StringRef name;
  double init;
  int64_t interval;
  int64_t hysteresis;
  HysteresisRefill refill;
  int64_t delay;
  double floor, ceiling;
  OnFloor onFloor;
  /// Whose rule it is.
  StringRef source;
};

ArrayRef<LossScalePreset> lossScalePresets();

/// Sets what `text` stands for: the mode alone for none, static and dynamic; a
/// static scale for a number; mode and all constants for the name of a system.
/// Fails with an error that lists the words.
LogicalResult applyLossScale(TrainingSettings &settings, StringRef text,
                             EmitError emitError);

/// All words of the setting loss-scale.
std::vector<StringRef> lossScaleWords();

/// The setting that `text` says as a number: scale-init; nothing for a word.
StringRef scaleInitOf(StringRef text);

} // namespace mpc::graph

#endif // MPC_DIALECT_GRAPH_TRAINING_LOSSSCALEPRESETS_H
