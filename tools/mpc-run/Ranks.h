// mpc-run train --ranks=N: this program, N times on this machine.
#ifndef MPC_TOOLS_MPC_RUN_RANKS_H
#define MPC_TOOLS_MPC_RUN_RANKS_H

#include "Failure.h"
#include "Options.h"

namespace mpc::run {

/// Runs `train` with `arguments` but for --ranks as `count` ranks. Their exit
/// code: of the first that failed.
Exit runRanks(uint64_t count, const Arguments &arguments);

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_RANKS_H
