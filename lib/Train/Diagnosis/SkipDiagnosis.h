// Why training does not get on: the last runs of a step, and what they say.
//
// A step that overflows is skipped, and the loss scale shrinks; soon it fits.
// When many are skipped in a row it does not, and training would go on for
// hours without learning anything. Two causes need different cures:
// - the loss itself is not finite: the forward overflowed (or the data or a
//   parameter is not finite), and no scale changes that;
// - only gradients are: the backward makes an inf or NaN whatever the scale
//   (1 / 0, log 0), or the scale may not shrink far enough.
#ifndef MPC_LIB_TRAIN_DIAGNOSIS_SKIPDIAGNOSIS_H
#define MPC_LIB_TRAIN_DIAGNOSIS_SKIPDIAGNOSIS_H

#include "mpc/Train/Metrics.h"

#include <deque>

namespace mpc::train {

/// What a program does when its loss scale has reached the floor.
enum class AtFloor { Hold, Warn, Error };

/// When training stops by itself.
struct StopRules {
  uint64_t maxSkips = 20; ///< In a row; 0: never.
  AtFloor atFloor = AtFloor::Hold;
  bool isScaleStatic = false; ///< It never shrinks.
};

class SkipDiagnosis {
public:
  /// `skips` were skipped in a row before the first run that is noted.
  SkipDiagnosis(const StopRules &rules, uint64_t skips)
      : rules(rules), skips(skips) {}

  /// Adds the next run of a step, tries of one step too.
  void note(const StepMetrics &step);

  /// Why training is to stop, "" while it may go on.
  const std::string &stopReason() const { return reason; }
  /// What to say once, at the first skip with the scale at its floor; "" if
  /// there is nothing to say, or it was said.
  std::string takeWarning();

  /// The whole text: why, the history as a table, the cause and what to do.
  /// `firstValues`: what is known of the values that were not finite first, ""
  /// if nothing.
  std::string describe(const std::string &firstValues) const;

private:
  std::string explainCause() const;
  std::string explainGradients() const;
  std::string history() const;

  StopRules rules;
  uint64_t skips;
  std::deque<StepMetrics>
      last; ///< Skipped runs in a row, the newest at the end.
  std::string reason, warning;
  bool hasWarned = false;
};

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_DIAGNOSIS_SKIPDIAGNOSIS_H
