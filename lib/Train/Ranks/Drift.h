// Whether the ranks of a run still have the same states.
//
// They do as long as each computes the same from the same gradients. A bit that
// flips in the memory of one, a processor that rounds otherwise or a fault of
// ours makes its parameters drift away, and nothing else would tell.
#ifndef MPC_LIB_TRAIN_RANKS_DRIFT_H
#define MPC_LIB_TRAIN_RANKS_DRIFT_H

#include "../Sessions.h"

namespace mpc::train {

/// A hash of each.
std::vector<uint64_t> hashStates(const std::vector<mpc_state_info> &states,
                                 const rt::Session &session);

/// `hashes`, by rank, of what `names` are known by: "rank 1 has another 'w' and
/// 2 more than the rest", which is most ranks; "" where all are alike.
std::string describeDrift(const std::vector<std::vector<uint64_t>> &hashes,
                          const std::vector<std::string> &names);

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_RANKS_DRIFT_H
