// The state of a training run in a file, which the runtime saves and loads
// (mpc-c/Runtime.h), or in a folder (FolderSaver.h). Where the run was goes
// along as metadata.
#ifndef MPC_LIB_TRAIN_SAVE_CHECKPOINT_H
#define MPC_LIB_TRAIN_SAVE_CHECKPOINT_H

#include "../Sessions.h"
#include "StepFolders.h"

namespace mpc::train {

/// The best of a run's evaluations so far.
struct BestEvaluation {
  std::string rule; ///< What is the best: "eval_loss:min".
  double value = 0;
  uint64_t step = 0;

  /// "eval_loss:min 0.25 at step 300".
  std::string describe() const;
  bool operator==(const BestEvaluation &) const = default;
};

/// More steps than these are not counted: the counters of a program are i32.
constexpr uint64_t kMostSteps = INT32_MAX;

/// Where in its data a run is; with it and the states, a run goes on bit by bit
/// as if it had never stopped.
struct Position {
  uint64_t seed = 0;
  uint64_t steps = 0;         ///< Optimizer steps so far, skipped ones too.
  uint64_t stepsPerEpoch = 0; ///< Must stay, or the order would change.
  bool isShuffled = true;
  /// Each rank takes its part of the files (StepBatches.h), of which there are
  /// as many as `ranks`.
  bool isContiguous = false;
  uint64_t ranks = 1; ///< That took the steps so far; told of parts alone.
  std::optional<BestEvaluation> best = {};
  /// Of what was resumed: the model that saved it.
  std::string model = {};
  /// What was done to its samples (describe in StepBatches.h).
  std::string augmentations = {};
};

/// As metadata of a checkpoint.
rt::Metadata describePosition(const Position &position);

/// Which parameters the groups of a program take, as session_save writes it,
/// for checkpoints in folders.
std::string describeGroups(const rt::Program &program);

void saveCheckpoint(data::OutputFile file, const rt::Session &session,
                    const Position &position);

/// Sets every state from a file that saveCheckpoint wrote, or a folder. Call
/// after Session::init.
Position resumeCheckpoint(const CheckpointFiles &files,
                          const rt::Program &program, rt::Session &session);

/// Whether the file at `path` is what a run that is at `position` has saved of
/// its best evaluation. A file that cannot be read is not.
bool holdsBest(const std::string &path, const Position &position);

struct WeightOptions {
  bool convert = false, allowNonFinite = false;
  IsOver isOver = {}; ///< Of who waits for a pipe.
};
/// Sets parameters and running statistics from a file, or a folder of one step,
/// and leaves all other states; it may hold more. Call after Session::init.
void loadWeights(const std::string &path, const rt::Program &program,
                 rt::Session &session, const WeightOptions &options);

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_SAVE_CHECKPOINT_H
