// Saves the state of training: while it goes on, where an evaluation was the
// best so far, and at the end.
#ifndef MPC_TOOLS_MPC_RUN_SAVE_SAVER_H
#define MPC_TOOLS_MPC_RUN_SAVE_SAVER_H

#include "../Evaluation.h"
#include "Checkpoint.h"
#include "OutputFiles.h"
#include "SaveOptions.h"

#include <deque>
#include <map>

namespace mpc::run {

class Saver {
public:
  /// `position` is where training is; it holds the best evaluation.
  Saver(const SaveOptions &options, const Session &session, Position &position);

  /// Training begins or goes on now: finds files that runs before have kept.
  /// Returns what to tell the user of them, and if the best of the run that
  /// goes on is lost.
  std::vector<std::string> begin();
  /// After a step: whether it is time to save.
  bool isDue() const;
  /// Returns what to tell the user if that fails, or a copy cannot be kept: the
  /// state before is still there, and training goes on.
  std::string save();
  /// After an evaluation. The same.
  std::string noteEvaluation(const Evaluation &evaluation);
  /// At the end, if anything is saved; a failure is a Failure.
  void saveAtEnd(OutputFiles &outputs);
  /// What there is if that failed; "" if nothing is lost.
  std::string describeLoss() const;

private:
  using Clock = std::chrono::steady_clock;
  void removeStaleLocks();
  std::string findKept();
  std::string findBest();
  void removePassed();
  void keepStep();

  const SaveOptions &options;
  const Session &session;
  Position &position;
  Clock::time_point saved;           ///< When.
  std::optional<uint64_t> savedStep; ///< By this run.
  std::deque<std::string> kept;      ///< The oldest first.
  /// Of steps that were not done when this run began: of a run that went back,
  /// or of another one.
  std::map<uint64_t, std::string> abandoned;
};

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_SAVE_SAVER_H
