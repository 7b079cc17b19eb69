// Saves the state of training: while it goes on, where an evaluation was the
// best so far, and at the end.
#ifndef MPC_LIB_TRAIN_SAVE_SAVER_H
#define MPC_LIB_TRAIN_SAVE_SAVER_H

#include "Checkpoint.h"
#include "FolderSaver.h"
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

  /// With --save-dir, in front of all else: memory and facts of its folder. See
  /// FolderSaver::begin.
  void openFolder(const rt::Program &program, RankGroup *group,
                  const std::string &resumed);
  /// Training begins now, or goes on from `resumed`: finds files that runs
  /// before have kept, and whether the best of the run that goes on is lost.
  void begin(const std::string &resumed);
  /// After a step: whether it is time to save.
  bool isDue() const;
  /// If that fails, or a copy cannot be kept, the state before is still there,
  /// and training goes on. Not so of a folder: what its thread fails with is
  /// thrown here, or by check(), and ends training.
  void save();
  void check() {
    if (folder)
      folder->check();
  }
  /// After an evaluation. The same.
  void noteEvaluation(const EvaluationMetrics &evaluation);
  /// At the end, if anything is saved; a failure is a Failure.
  void saveAtEnd(OutputFiles &outputs);
  /// The same of a folder: `isWhole` unless other ranks may not come to it, and
  /// what is under way is waited for only.
  void saveFolderAtEnd(bool isWhole);
  /// What there is if that failed; nothing if nothing is lost.
  std::vector<std::string> describeLosses() const;
  /// "saved w.safetensors", of what is saved at this step.
  std::vector<std::string> describeSaved() const;
  /// Of the copy that a folder is written from.
  std::optional<uint64_t> copyBytes() const;

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
  std::unique_ptr<FolderSaver> folder; ///< None without --save-dir.
  Clock::time_point saved;             ///< When.
  std::optional<uint64_t> savedStep;   ///< By this run.
  std::deque<std::string> kept;        ///< The oldest first.
  /// Of steps that were not done when this run began: of a run that went back,
  /// or of another one.
  std::map<uint64_t, std::string> abandoned;
};

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_SAVE_SAVER_H
