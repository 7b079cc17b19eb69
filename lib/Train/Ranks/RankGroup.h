// The ranks that train together, each a process that was launched with others
// (mpc/Ranks/Launch.h): a ranks::World whose failures are those of training.
//
// All ranks do the same: steps, evaluations, what is read of them. Files and
// progress are rank 0's. Each takes its own samples (StepBatches), draws its
// own random numbers (its session adds the rank to the seed, which whoever
// reads that state does not see), and gets the same gradients, so that all
// states stay alike.
//
// Here is who the ranks are, what one tells the others, and how the group ends.
// What stands on it, each with one thing to do:
//
//   SessionReduces.h  what a session needs: its buckets, or NCCL's id
//   Consensus.h       what all agree on: options, metrics, states
//   BucketTimes.h     when the buckets of a rank travelled
//   RanksTimes.h      the same of all ranks, by one clock
#ifndef MPC_LIB_TRAIN_RANKS_RANKGROUP_H
#define MPC_LIB_TRAIN_RANKS_RANKGROUP_H

#include "Launched.h"

#include "mpc/Ranks/World.h"
#include "mpc/Train/Options.h"

namespace mpc::train {

class RankGroup {
public:
  /// Of a collective that is done, by a thread of the group.
  using Observe = decltype(ranks::GroupOptions::observe);

  /// Waits until all ranks of `launch` are there with the same `program`; null
  /// if this is the only one. What `observe` uses outlives the group.
  static std::unique_ptr<RankGroup> join(const ranks::Launch &launch,
                                         const rt::Program &program,
                                         const RankOptions &options,
                                         Observe observe);

  /// By what it was launched, what collectives go by, and why.
  std::string describe() const;
  uint32_t rank() const { return launch.rank; }
  uint32_t size() const { return launch.size; }
  /// Whether all are processes of one machine, which have one clock.
  bool isOneMachine() const { return launch.localSize == launch.size; }
  /// How long one waits for another.
  std::chrono::seconds timeout() const { return patience; }

  //===-- Collectives: every rank calls the same in the same order --------===//

  /// A failure on every rank, which may not go on then.
  void run(ranks::Collective collective);
  /// Of which others make collectives; valid while this lives.
  ranks::Group &collectives() { return world->group(); }
  /// Whether one has failed: ranks may have come to different places.
  bool hasFailed() const { return !world->group().status().ok(); }
  /// Why it has, instead of `message`.
  std::string explain(const std::string &message) const;

  //===-- News: any thread, and no collective -----------------------------===//

  /// Tells the other ranks something by a name that is used once. `readers`
  /// ranks will hear it.
  void tell(const std::string &name, const std::string &value,
            uint32_t readers);
  /// Waits until a rank tells it. A failure if one is lost, or stopped, before
  /// that, or `isOver` is set.
  std::string hear(const std::string &name, const std::atomic<bool> &isOver);
  /// Ranks wait here for what rank 0 does for all, as write a file, as long as
  /// that takes while it answers; `what` names it, once in a run.
  void awaitFirst(const std::string &what);
  /// The same for what each rank does for itself, as read its states. Rank 0 is
  /// told whom it waits for, where that takes longer than others may.
  void awaitAll(const std::string &what,
                const std::function<void(const std::string &)> &tellLate);

  //===-- Ends ------------------------------------------------------------===//

  /// All are done.
  void finish();
  /// This rank cannot go on: the others are told why.
  void giveUp(const std::string &reason);
  /// Any thread: whether a rank is lost, or has given up (MPC_OK: none), though
  /// no collective of this group has failed yet. For those of NCCL.
  mpc_code findLoss(mpc_status *status) const;

private:
  void hearOf(uint32_t rank, const std::string &what, const std::string &name,
              const std::function<void()> &onLate = {});
  RankGroup(const ranks::Launch &launch, const rt::Program &program,
            const RankOptions &options);
  void connect(const rt::Program &program, Observe observe);

  ranks::Launch launch;
  bool isGpu;
  std::string asked;  ///< --collectives; "": it does not say.
  std::string engine; ///< Of what is not NCCL's.
  std::chrono::seconds patience;
  std::unique_ptr<ranks::World> world;
};

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_RANKS_RANKGROUP_H
