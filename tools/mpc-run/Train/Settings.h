// What options of a run ask of its program: refused here, by their names, where
// it was not made for them.
#ifndef MPC_TOOLS_MPC_RUN_TRAIN_SETTINGS_H
#define MPC_TOOLS_MPC_RUN_TRAIN_SETTINGS_H

#include "SkipDiagnosis.h"
#include "TrainOptions.h"

namespace mpc::run {

/// Fails if --retry, --max-skips or --on-overflow=explain ask for steps that
/// are skipped, and the program has none.
void checkSkipOptions(const TrainOptions &options, const Program &program);

/// Sets the states of --lr and --scale.
void applyRates(const TrainOptions &options, const Program &program,
                Session &session);

/// A warning, where --lr does not reach every parameter; or "".
std::string describeOtherRates(const TrainOptions &options,
                               const Program &program);

StopRules makeStopRules(const TrainOptions &options, const Program &program);

} // namespace mpc::run

#endif // MPC_TOOLS_MPC_RUN_TRAIN_SETTINGS_H
