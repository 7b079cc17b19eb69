// The state of a training run in a safetensors file: every state tensor that
// is neither derived nor an accumulator (those are zero between steps), under
// its own name, and where the run was as metadata.
// Parameters carry their plain names, so that any reader of safetensors finds
// the weights.
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
};

void saveCheckpoint(const std::string &path, const Program &program,
                    const Session &session, const Position &position);

/// Sets every state from a file that saveCheckpoint wrote.
Position resumeCheckpoint(const std::string &path, const Program &program,
                          Session &session);

struct WeightOptions {
  bool convert = false, allowNonFinite = false;
};
/// Sets the parameters from a file and leaves all other states; the file may
/// hold more. Call after Session::init.
void loadWeights(const std::string &path, const Program &program,
                 Session &session, const WeightOptions &options);

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_CHECKPOINT_H
