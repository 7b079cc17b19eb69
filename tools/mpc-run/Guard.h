// How the tool ends, whatever happens in it.
#ifndef MPC_TOOLS_MPC_RUN_GUARD_H
#define MPC_TOOLS_MPC_RUN_GUARD_H

#include "mpc/CommandLine/Exit.h"

#include <functional>

namespace mpc::run {

/// The exit code of `body`. What it throws, a Failure or anything else, is told
/// to standard error, and has an exit code, too.
cli::Exit guard(const std::function<cli::Exit()> &body);

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_GUARD_H
