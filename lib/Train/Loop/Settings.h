// What options of a run ask of each other and of its program: refused here, by
// their names, where they contradict each other, or it was not made for them.
#ifndef MPC_LIB_TRAIN_LOOP_SETTINGS_H
#define MPC_LIB_TRAIN_LOOP_SETTINGS_H

#include "../Diagnosis/SkipDiagnosis.h"
#include "../Sessions.h"

#include "mpc/Ranks/Launch.h"

namespace mpc::train {

/// Refuses options that contradict each other, or lack what they need.
void checkOptions(const TrainOptions &options);

/// Refuses options of ranks where nothing has launched this process as one.
void checkLaunched(const RankOptions &options, const ranks::Launch &launch);

/// Where training ends, as it was asked for: "'--steps 9'", "one epoch".
std::string describeEnd(const TrainOptions &options);
/// Where the run before, at `step`, went as far as this one is to go, or
/// farther.
std::string describeNothingToDo(const TrainOptions &options, uint64_t step,
                                uint64_t lastStep);

/// Fails if --retry, --max-skips or --on-overflow=explain ask for steps that
/// are skipped, and the program has none.
void checkSkipOptions(const TrainOptions &options, const rt::Program &program);

/// Sets the states of --lr and --scale.
void applyRates(const TrainOptions &options, const rt::Program &program,
                rt::Session &session);

/// What is not as it may have been meant, although training begins: --lr does
/// not reach every parameter, a checkpoint has other rates than the program was
/// compiled with, inputs are the same windows. Called with all rates set.
std::vector<std::string> findWarnings(const TrainOptions &options,
                                      const rt::Program &program,
                                      const rt::Session &session);

StopRules makeStopRules(const TrainOptions &options,
                        const rt::Program &program);

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_LOOP_SETTINGS_H
