// Whether the ranks of a run still have the same states.
//
// They do as long as each computes the same from the same gradients. A bit that
// flips in the memory of one, a processor that rounds otherwise or a fault of
// ours makes its parameters drift away, and nothing else would tell.
#ifndef MPC_RANKS_DRIFT_H
#define MPC_RANKS_DRIFT_H

#include "mpc/Ranks/Group.h"

namespace mpc::ranks {

/// `hashes`, by rank, of what `names` are known by: "rank 1 has another 'w' and
/// 2 more than the rest", which is most ranks; "" where all are alike.
std::string describeDrift(const std::vector<std::vector<uint64_t>> &hashes,
                          const std::vector<std::string> &names);

/// The same of the hashes that each rank has; all call it, and all are told. As
/// long as they are alike a single number of each travels.
Result<std::string> findDrift(Group &group, const std::vector<uint64_t> &own,
                              const std::vector<std::string> &names);

/// By rank, what each brings: as many numbers.
Result<std::vector<uint64_t>> gather(Group &group,
                                     const std::vector<uint64_t> &numbers,
                                     const std::string &name);

} // namespace mpc::ranks

#endif // MPC_RANKS_DRIFT_H
