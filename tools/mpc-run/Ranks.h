// mpc-run train --ranks=N: this program, N times on this machine.
#ifndef MPC_TOOLS_MPC_RUN_RANKS_H
#define MPC_TOOLS_MPC_RUN_RANKS_H

#include "Failure.h"
#include "Options.h"

#include "mpc/Train/Options.h"

namespace mpc::run {

struct RankRun {
  uint64_t count = 1;
  /// How often all begin again, from what was saved, when one has failed.
  uint64_t restarts = 0;
  train::TrainOptions training; ///< What `arguments` say, of each rank.
};

/// Runs `train` with `arguments` but for those of the launcher. The exit code
/// is that of the rank that failed first.
Exit runRanks(const RankRun &run, const Arguments &arguments);

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_RANKS_H
