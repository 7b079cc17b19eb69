// What all ranks agree on. Each of these is one or two collectives: every rank
// calls it in the same place, and all return the same, or all fail.
#ifndef MPC_LIB_TRAIN_RANKS_CONSENSUS_H
#define MPC_LIB_TRAIN_RANKS_CONSENSUS_H

#include "RankGroup.h"

#include "mpc/Train/Metrics.h"

#include <span>
#include <vector>

namespace mpc::train {

/// By rank, what each brings: as many numbers, of which `name` tells.
std::vector<uint64_t> gather(RankGroup &group,
                             const std::vector<uint64_t> &numbers,
                             const std::string &name);

/// Sums over all ranks, in their places; `what` they are of.
void addUp(RankGroup &group, std::span<double> numbers,
           const std::string &what);

/// Fails on every rank, of its options, if `number`, which `what` is known by,
/// differs.
void requireSame(RankGroup &group, const std::string &what, uint64_t number);

/// What a rank wants to be done after a step, or any rank does.
struct Wishes {
  bool end = false, save = false;
};
/// After a step: `step` gets the means of what ranks tell, and is not finite if
/// it is on any; what any rank wants.
Wishes agree(RankGroup &group, StepMetrics &step, Wishes own);

/// Which ranks have drifted apart, and in which states (mpc/Ranks/Drift.h); ""
/// if none has. Reads all states.
std::string findDrift(RankGroup &group, const rt::Program &program,
                      const rt::Session &session);

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_RANKS_CONSENSUS_H
