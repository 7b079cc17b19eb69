// Who listens to training. The library prints nothing: what there is to tell
// while it goes on comes here, in the thread that called train(), and all of it
// may be left out.
#ifndef MPC_TRAIN_OBSERVER_H
#define MPC_TRAIN_OBSERVER_H

#include "mpc/Train/Metrics.h"
#include "mpc/Train/Summary.h"

namespace mpc::train {

/// Where a run begins and ends.
struct RunPlan {
  uint64_t firstStep = 0; ///< That are done already; 0 in a new run.
  uint64_t lastStep = 0;
  uint64_t stepsPerEpoch = 1, samplesPerStep = 1;
};

/// An exception that one of these throws ends the run as a failure of the
/// system would, and is returned as one.
class Observer {
public:
  virtual ~Observer() = default;

  /// All is read. From here on files are locked and processes are started, so
  /// a signal is to set `stop` rather than to end the process: the time to
  /// install handlers, for who has any. The library never does.
  virtual void onGuarded() {}
  virtual void onBegin(const RunPlan &) {}
  /// A run of a step, also one that was skipped. It is told after the next one
  /// was begun, so that a device has that to do meanwhile, but for retries and
  /// explanations, which need it at once.
  virtual void onStep(const StepMetrics &) {}
  virtual void onEvaluation(const EvaluationMetrics &) {}
  /// No step comes any more; what is asked for is saved now.
  virtual void onTrained() {}
  virtual void onSummary(const Summary &) {}
  /// A text for people, of one or more lines, without an end of line.
  virtual void onNote(const std::string &) {}
  /// The same of what is not as it should be, although training goes on.
  virtual void onWarning(const std::string &) {}
};

} // namespace mpc::train

#endif // MPC_TRAIN_OBSERVER_H
