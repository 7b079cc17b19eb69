// What a training run counts and times, for its summary.
#ifndef MPC_LIB_TRAIN_LOOP_TALLY_H
#define MPC_LIB_TRAIN_LOOP_TALLY_H

#include "mpc-c/Runtime.hpp"
#include "mpc/Data/File.h"
#include "mpc/Train/Metrics.h"
#include "mpc/Train/Summary.h"

#include <chrono>
#include <vector>

namespace mpc::train {

/// The run is timed from the making of its tally on.
class Tally {
public:
  /// Training begins now: all is loaded.
  void begin(uint64_t stepsPerEpoch, uint64_t samplesPerStep);
  void add(const StepMetrics &step);
  /// A step is tried again.
  void addRetry() { ++result.retries; }
  /// What a step has added to the counts.
  void addWaits(const rt::WaitCounts &before, const rt::WaitCounts &after);
  /// Training stood still for a save.
  void addSave(std::chrono::duration<double> time) {
    result.saveSeconds += time.count();
  }
  void addEvaluation(std::optional<double> loss,
                     std::optional<double> accuracy);
  bool hasBadLosses() const { return result.nonFiniteLosses > 0; }
  /// No step comes any more.
  void end();
  /// All is saved; what the session tells at its end goes along.
  void endAll(uint64_t steps, std::optional<uint64_t> skipped,
              std::optional<double> scale, const mpc_memory_info &memory,
              std::optional<uint64_t> copyBytes);

  const Summary &summary() const { return result; }

private:
  using Clock = std::chrono::steady_clock;
  std::optional<double> lastEpochLoss() const;
  double medianMilliseconds() const;

  Summary result;
  uint64_t stepsPerEpoch = 1, batchSize = 1;
  Clock::time_point launched = Clock::now(), started;
  struct StepLoss {
    double value;
    bool wasSkipped;
  };
  std::vector<StepLoss> losses; ///< Of the last `stepsPerEpoch` steps, a ring.
  std::vector<float> milliseconds;
};

/// Writes a JSON object, atomically.
void writeSummary(const Summary &summary, data::OutputFile file);
/// Said of the first step whose loss is not finite; the summary counts them.
std::string describeBadLoss(const StepMetrics &step);

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_LOOP_TALLY_H
