// The ranks that train together, each a process that was launched with others
// (mpc/Ranks/Launch.h): what they exchange beside the steps of the program.
//
// All ranks do the same: steps, evaluations, what is read of them. Files and
// progress are rank 0's. Each takes its own samples (StepBatches), draws its
// own random numbers (its session adds the rank to the seed, which whoever
// reads that state does not see), and gets the same gradients, so that all
// states stay alike, which is compared when training begins.
#ifndef MPC_LIB_TRAIN_RANKS_RANKGROUP_H
#define MPC_LIB_TRAIN_RANKS_RANKGROUP_H

#include "../Sessions.h"

#include "BucketTimes.h"

#include "mpc/Ranks/World.h"

#include <algorithm>
#include <atomic>
#include <memory>

namespace mpc::train {

/// A failure if what launched this process contradicts itself.
ranks::Launch readLaunch();

/// A failure if `collectives` are none of those of the program's target.
void checkCollectives(const rt::Program &program,
                      const std::string &collectives);

/// A failure if the program was compiled for one rank alone, and these are
/// more.
void checkReduces(const rt::Program &program, uint32_t ranks);

class RankGroup {
public:
  /// Waits until all ranks of `launch` are there with the same `program`; null
  /// if this is the only one.
  static std::unique_ptr<RankGroup> join(const ranks::Launch &launch,
                                         const rt::Program &program,
                                         const RankOptions &options);

  /// By what it was launched, what collectives go by, and why.
  std::string describe() const;
  /// This group for all-reduces of the program's steps; valid while it lives.
  const mpc_rank_group &ofSession() const { return reduces; }
  /// For GPUs: the id of a group of NCCL, which rank 0 makes.
  std::vector<unsigned char> shareNcclId();

  uint32_t rank() const { return launch.rank; }
  uint32_t size() const { return launch.size; }

  /// Any thread, and no collective: tells the other ranks something by a name
  /// that is used once.
  /// `readers` ranks will hear it.
  void tell(const std::string &name, const std::string &value,
            uint32_t readers);
  /// Waits until a rank tells it. A failure if one is lost, or stopped, before
  /// that, or `isOver` is set.
  std::string hear(const std::string &name, const std::atomic<bool> &isOver);

  /// Fails on every rank if `number`, which `what` is known by, differs.
  void compare(const std::string &what, uint64_t number);
  /// On every rank: which ranks have drifted apart, and in which states; "" if
  /// none has.
  std::string findDrift(const rt::Program &program, const rt::Session &session);
  /// How many threads this rank may have of its machine's processors; each
  /// calls it.
  uint32_t shareProcessors();
  /// Sums over all ranks, in their places; `what` they are of.
  void add(std::span<double> numbers, const std::string &what);
  /// After a step, on every rank: the means of what it tells, and what any rank
  /// wants to be done after it.
  struct Wishes {
    bool end = false, save = false;
  };
  Wishes agree(StepMetrics &step, Wishes own);
  /// Ranks wait here for what rank 0 does for all, as write a file, as long as
  /// that takes while it answers; `what` names it, once in a run.
  void awaitFirst(const std::string &what);
  /// When buckets travelled in the steps behind `first`, of every rank; each
  /// calls it.
  RanksTimes gatherTimes(uint64_t first);
  /// All are done.
  void finish();
  /// This rank cannot go on: the others are told why.
  void giveUp(const std::string &reason);
  /// Any thread: whether a rank is lost, or has given up (MPC_OK: none), though
  /// no collective of this group has failed yet. For those of NCCL.
  mpc_code findLoss(mpc_status *status) const;
  uint32_t timeoutMilliseconds() const {
    return static_cast<uint32_t>(std::min<uint64_t>(
        std::chrono::milliseconds(timeout).count(), UINT32_MAX));
  }
  /// Whether a collective has: ranks may have come to different places.
  bool hasFailed() const { return !group->status().ok(); }
  /// Why a collective failed, instead of `message`.
  std::string explain(const std::string &message) const;

private:
  RankGroup(const ranks::Launch &launch, const rt::Program &program,
            const RankOptions &options);
  void connect(const rt::Program &program);
  void run(ranks::Collective collective);
  mpc_code finishBucket(uint64_t ticket);
  mpc_code start(const mpc_bucket &bucket, uint64_t &ticket);
  /// Those of all ranks, in their order.
  std::vector<uint64_t> gather(const std::vector<uint64_t> &numbers,
                               const std::string &name);

  ranks::Launch launch;
  bool isGpu;
  std::string collectives; ///< As the options say; "": they do not.
  std::string engine;      ///< Of what is not NCCL's.
  std::chrono::seconds timeout;
  BucketTimes times; ///< In front of the world, whose thread notes them.
  std::unique_ptr<ranks::World> world;
  ranks::Group *group = nullptr; ///< The world's.
  mpc_rank_group reduces{};
};

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_RANKS_RANKGROUP_H
