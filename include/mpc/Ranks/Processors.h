// How the ranks of a machine share its processors.
#ifndef MPC_RANKS_PROCESSORS_H
#define MPC_RANKS_PROCESSORS_H

#include "mpc/Ranks/Group.h"

#include <array>

namespace mpc::ranks {

/// Of one rank: its machine, and which processors it may run on.
struct ProcessorSet {
  uint64_t machine = 0;
  std::array<uint64_t, 64> mask{}; ///< 4,096 of them, as Linux has at most
  uint32_t count() const;
};
/// Of this process, as its launcher or its container has bound it.
ProcessorSet ownProcessors();

/// How many processors are left to `rank`: those that it has for itself, and
/// its share of those that others of its machine may run on too; 1 or more.
uint32_t countShare(const std::vector<ProcessorSet> &ranks, uint32_t rank);

/// The same, of this rank; all of the group call it.
Result<uint32_t> shareProcessors(Group &group);

} // namespace mpc::ranks

#endif // MPC_RANKS_PROCESSORS_H
