// The commands: each describes its options, reads its own arguments and returns
// the exit code; what goes wrong is thrown as Failure.
#ifndef MPC_TOOLS_MPC_RUN_COMMANDS_H
#define MPC_TOOLS_MPC_RUN_COMMANDS_H

#include "Failure.h"
#include "Options.h"

namespace mpc::run {

Exit runTrain(const Arguments &arguments);
Exit runEval(const Arguments &arguments);
Exit runPredict(const Arguments &arguments);
Exit runInfo(const Arguments &arguments);
Exit runSample(const Arguments &arguments);
Exit runProfile(const Arguments &arguments);
Exit runPlot(const Arguments &arguments);
Exit runExport(const Arguments &arguments);
Exit runLink(const Arguments &arguments);

// What each takes.
cli::CommandInfo describeTrain();
cli::CommandInfo describeEval();
cli::CommandInfo describePredict();
cli::CommandInfo describeInfo();
cli::CommandInfo describeSample();
cli::CommandInfo describeProfile();
cli::CommandInfo describePlot();
cli::CommandInfo describeExport();
cli::CommandInfo describeLink();

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_COMMANDS_H
