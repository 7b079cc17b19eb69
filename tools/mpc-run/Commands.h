// The commands. Each reads its own arguments and returns the exit code; what
// goes wrong is thrown as Failure.
#ifndef MPC_TOOLS_MPC_RUN_COMMANDS_H
#define MPC_TOOLS_MPC_RUN_COMMANDS_H

#include "Failure.h"

#include <vector>

namespace mpc::run {

using Arguments = std::vector<std::string>;

Exit runTrain(const Arguments &arguments);
Exit runEval(const Arguments &arguments);
Exit runInfo(const Arguments &arguments);
Exit runProfile(const Arguments &arguments);
Exit runPlot(const Arguments &arguments);

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_COMMANDS_H
