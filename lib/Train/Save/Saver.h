// Saves the state of training: while it goes on, where an evaluation was the
// best so far, and at the end.
#ifndef MPC_LIB_TRAIN_SAVE_SAVER_H
#define MPC_LIB_TRAIN_SAVE_SAVER_H

#include "Checkpoint.h"
#include "OutputFiles.h"
#include "SaveFiles.h"

#include "mpc/Train/Observer.h"

#include <deque>
#include <map>

namespace mpc::train {

class Saver {
public:
  /// `position` is where training is; it holds the best evaluation. What does
  /// not go as it should, but is no failure, is told to `observer`.
  Saver(const SaveOptions &options, const rt::Session &session,
        Position &position, Observer &observer);

  /// Training begins or goes on now: finds files that runs before have kept,
  /// and whether the best of the run that goes on is lost.
  void begin();
  /// After a step: whether it is time to save.
  bool isDue() const;
  /// If that fails, or a copy cannot be kept, the state before is still there,
  /// and training goes on.
  void save();
  /// After an evaluation. The same.
  void noteEvaluation(const EvaluationMetrics &evaluation);
  /// At the end, if anything is saved; a failure is a Failure.
  void saveAtEnd(OutputFiles &outputs);
  /// What there is if that failed; "" if nothing is lost.
  std::string describeLoss() const;

private:
  using Clock = std::chrono::steady_clock;
  void removeStaleLocks();
  void findKept();
  void findBest();
  void removePassed();
  void keepStep();

  const SaveOptions &options;
  const rt::Session &session;
  Position &position;
  Observer &observer;
  Clock::time_point saved;           ///< When.
  std::optional<uint64_t> savedStep; ///< By this run.
  std::deque<std::string> kept;      ///< The oldest first.
  /// Of steps that were not done when this run began: of a run that went back,
  /// or of another one.
  std::map<uint64_t, std::string> abandoned;
};

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_SAVE_SAVER_H
