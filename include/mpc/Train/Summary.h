// The result of a training run in a few numbers.
#ifndef MPC_TRAIN_SUMMARY_H
#define MPC_TRAIN_SUMMARY_H

#include <cstdint>
#include <optional>
#include <string>

namespace mpc::train {

struct Summary {
  uint64_t steps = 0;     ///< Since the very beginning, skipped ones too.
  uint64_t stepsHere = 0; ///< Of this run.
  std::optional<uint64_t> skipped;
  uint64_t retries = 0; ///< Runs beyond the first of their step.
  /// Mean of the last epoch, skipped steps left out, unless there are no
  /// others. Not finite where one of them is not; nothing if there is no loss.
  std::optional<double> loss;
  /// Steps that were taken although their loss was inf or NaN.
  uint64_t nonFiniteLosses = 0;
  std::optional<double> scale, evalLoss, evalAccuracy; ///< The last ones.
  double msPerStep = 0;   ///< Median, in the runtime.
  double seconds = 0;     ///< Of training, evaluations and saves included.
  double saveSeconds = 0; ///< Of these, in which training waited for saves.
  double wallSeconds = 0; ///< Of loading, training and saving.
  double samplesPerSecond = 0;
  /// How often steps have waited for their device: until it was idle, and for
  /// one earlier run.
  uint64_t synchronizations = 0, waits = 0;
  uint64_t plannedBytes = 0, usedBytes = 0;
  /// Beside these: of the copy that checkpoints in a folder are written from.
  std::optional<uint64_t> copyBytes;
};

/// One line for people.
std::string describe(const Summary &summary);

} // namespace mpc::train

#endif // MPC_TRAIN_SUMMARY_H
