// How far a run goes, and that its steps can be counted: the counters of a
// program are i32, and after the last number schedules would begin anew.
#ifndef MPC_LIB_TRAIN_LOOP_STEPLIMIT_H
#define MPC_LIB_TRAIN_LOOP_STEPLIMIT_H

#include "../Save/Checkpoint.h"

namespace mpc::train {

/// The last step that `options` ask for, counted from the very beginning.
/// Fails if a run that is at `position` could not count as many: `session`
/// holds the counters, one of which may be ahead of the position.
uint64_t findLastStep(const TrainOptions &options, const rt::Program &program,
                      const rt::Session &session, const Position &position);

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_LOOP_STEPLIMIT_H
