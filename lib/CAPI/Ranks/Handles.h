// What a group of ranks is behind the C interface.
#ifndef MPC_LIB_CAPI_RANKS_HANDLES_H
#define MPC_LIB_CAPI_RANKS_HANDLES_H

#include "CAPI/Boundary/Boundary.h"
#include "mpc-c/Ranks.h"
#include "mpc/Ranks/World.h"

#include <atomic>
#include <unistd.h>

struct mpc_ranks {
  std::unique_ptr<mpc::ranks::World> world;
  uint32_t threads = 1;
  std::atomic<uint64_t> lastTicket{0};
  std::atomic<bool> hasLeft{false};
  /// Something came later, which `failure` tells.
  mutable std::atomic<bool> wasUsedSince{false};
  const pid_t process = getpid(); ///< That has joined.

  mpc::ranks::Group &group() const { return world->group(); }
  /// Refuses a process that was forked: there are no threads in it that could
  /// end, and locks that nobody gives back.
  mpc::Status checkProcess() const;
  /// The same, and all when this rank has left.
  mpc::Status checkPresent() const;
  /// What the group has failed with, which rank is lost, or why this one has no
  /// group any more.
  mpc::Status failure() const;
  /// As checkPresent; refuses what is no collective.
  mpc::Status check(const mpc::ranks::Collective &collective) const;
  /// Of one that was checked.
  uint64_t start(mpc::ranks::Collective collective);
  mpc::Status run(mpc::ranks::Collective collective);
  /// The same of bytes.
  mpc::Status broadcast(void *data, uint64_t bytes, uint32_t root,
                        const std::string &name);
};

namespace mpc::capi {

/// Runs `body`, and makes a failure of it the group's: others wait for this
/// rank.
template <typename Body> Status giveUpUnless(mpc_ranks &ranks, Body body) {
  Status status = body();
  if (!status.ok())
    ranks.world->giveUp(status.message());
  return status;
}

/// The functions that join, for the table.
void addJoin(mpc_ranks_api &api);
/// Those that exchange tensors.
void addCollectives(mpc_ranks_api &api);
/// Those that compare and hand out what ranks must have alike.
void addAgreements(mpc_ranks_api &api);

} // namespace mpc::capi

#endif // MPC_LIB_CAPI_RANKS_HANDLES_H
