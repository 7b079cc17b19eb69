// What a session of a rank needs of its group: on processors the all-reduces of
// its buckets, on GPUs the id of a group of NCCL and news of who is lost, and
// its share of the machine either way.
#ifndef MPC_LIB_TRAIN_RANKS_SESSIONREDUCES_H
#define MPC_LIB_TRAIN_RANKS_SESSIONREDUCES_H

#include "../Sessions.h"

#include "BucketTimes.h"
#include "RankGroup.h"

namespace mpc::train {

/// Buckets of gradients on their way from a session to the group: the callbacks
/// of mpc_rank_group. Of each is noted when it travelled.
class SessionReduces {
public:
  /// Both outlive this, and this the session.
  SessionReduces(ranks::Group &group, BucketTimes &times);
  SessionReduces(const SessionReduces &) = delete;
  SessionReduces &operator=(const SessionReduces &) = delete;

  const mpc_rank_group &callbacks() const { return table; }

private:
  mpc_code start(const mpc_bucket &bucket, uint64_t &ticket);
  mpc_code finish(uint64_t ticket);

  ranks::Group &group;
  BucketTimes &times;
  mpc_rank_group table{};
};

/// For openSession, of a program of either target. Every rank calls it: rank 0
/// makes the id of NCCL for all, and ranks share out their machine's
/// processors. `reduces` and the group outlive the session.
RankMembership makeMembership(const ranks::Launch &launch, RankGroup &group,
                              const rt::Program &program,
                              const SessionReduces &reduces);

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_RANKS_SESSIONREDUCES_H
