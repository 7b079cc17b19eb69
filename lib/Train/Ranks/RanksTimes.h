// When the buckets of steps travelled, of all ranks by one clock: what
// --timings and --timeline tell of them.
#ifndef MPC_LIB_TRAIN_RANKS_RANKSTIMES_H
#define MPC_LIB_TRAIN_RANKS_RANKSTIMES_H

#include "BucketTimes.h"
#include "RankGroup.h"

#include "mpc/Ranks/Link.h"

namespace mpc::train {

/// By rank, the same steps of each, by the clock of rank 0.
using RanksTimes = std::vector<std::vector<StepTimes>>;

/// What each rank has noted of its own steps; every rank calls it, and is told
/// all. A failure on all if they have not noted as much.
RanksTimes gatherTimes(RankGroup &group, const std::vector<StepTimes> &own);

/// A table for people, of rank 0: bytes, and milliseconds after the step
/// begins, medians of the steps. `link` is what the program was compiled for;
/// of bandwidth 0: nothing is predicted.
std::string describeBuckets(const RanksTimes &times, const ranks::Link &link);

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_RANKS_RANKSTIMES_H
