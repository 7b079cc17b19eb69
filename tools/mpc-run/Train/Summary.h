// The result of a training run in a few numbers.
#ifndef MPC_TOOLS_MPC_RUN_TRAIN_SUMMARY_H
#define MPC_TOOLS_MPC_RUN_TRAIN_SUMMARY_H

#include "../Metrics/Metrics.h"
#include "../Model.h"

#include "mpc-c/Types.h"

#include <chrono>
#include <vector>

namespace mpc::run {

struct TrainSummary {
  /// When the command began.
  std::chrono::steady_clock::time_point launched =
      std::chrono::steady_clock::now();

  /// Training begins now: all is loaded.
  void begin(uint64_t stepsPerEpoch, uint64_t samplesPerStep);
  void add(const StepMetrics &step);
  /// What a step has added to the counts.
  void addWaits(const WaitCounts &before, const WaitCounts &after);
  void end();
  /// All is saved. Call in front of describe and write.
  void endAll();

  /// Mean loss of the last epoch, skipped steps left out, unless there are no
  /// others. Not finite where one of them is not; nothing if there is no loss.
  std::optional<double> lastEpochLoss() const;
  /// Median time of a step in the runtime.
  double medianMilliseconds() const;
  std::string describe() const;
  /// Writes a JSON object, atomically.
  void write(data::OutputFile file) const;

  uint64_t steps = 0; ///< Since the very beginning.
  std::optional<uint64_t> skipped;
  uint64_t retries = 0; ///< Runs beyond the first of their step.
  std::optional<double> scale, evalLoss, evalAccuracy;
  mpc_memory_info memory = {};
  /// Steps that were taken although their loss was inf or NaN.
  uint64_t nonFiniteLosses = 0;

private:
  uint64_t planned() const;
  uint64_t used() const;

  double samplesPerSecond() const;

  uint64_t stepsPerEpoch = 1, batchSize = 1;
  WaitCounts waits; ///< Of all steps.
  std::chrono::steady_clock::time_point started;
  double seconds = 0;     ///< Of training, evaluations included.
  double wallSeconds = 0; ///< Of loading, training and saving.
  struct StepLoss {
    double value;
    bool wasSkipped;
  };
  std::vector<StepLoss> losses; ///< Of the last `stepsPerEpoch` steps, a ring.
  std::vector<float> milliseconds;
};

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_TRAIN_SUMMARY_H
