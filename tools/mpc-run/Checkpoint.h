// The state of a training run in a file: the runtime saves and loads the states
// (mpc-c/Runtime.h), and where the run was goes along as metadata.
#ifndef MPC_TOOLS_MPC_RUN_CHECKPOINT_H
#define MPC_TOOLS_MPC_RUN_CHECKPOINT_H

#include "Model.h"

namespace mpc::run {

/// Where in its data a run is; with it and the states, a run goes on bit by bit
/// as if it had never stopped.
struct Position {
  uint64_t seed = 0;
  uint64_t steps = 0;         ///< Optimizer steps so far, skipped ones too.
  uint64_t stepsPerEpoch = 0; ///< Must stay, or the order would change.
  bool isShuffled = true;
  /// The best evaluation so far: "eval_loss" and its value; "" if none.
  std::string bestMetric = {};
  double best = 0;
};

void saveCheckpoint(const std::string &path, const Session &session,
                    const Position &position);

/// Sets every state from a file that saveCheckpoint wrote.
Position resumeCheckpoint(const std::string &path, Session &session);

struct WeightOptions {
  bool convert = false, allowNonFinite = false;
};
/// Sets the parameters from a file and leaves all other states; the file may
/// hold more. Call after Session::init.
void loadWeights(const std::string &path, const Program &program,
                 Session &session, const WeightOptions &options);

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_CHECKPOINT_H
