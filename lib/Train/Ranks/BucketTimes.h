// When the buckets of steps travelled, on this rank; RanksTimes.h puts those of
// all ranks together.
#ifndef MPC_LIB_TRAIN_RANKS_BUCKETTIMES_H
#define MPC_LIB_TRAIN_RANKS_BUCKETTIMES_H

#include "mpc/Ranks/Group.h"

#include <mutex>
#include <vector>

namespace mpc::train {

/// Times in nanoseconds of the steady clock.
struct BucketTime {
  uint64_t bytes = 0;
  uint64_t ready = 0;   ///< The session has given it to the group.
  uint64_t begun = 0;   ///< Those in front of it are done.
  uint64_t done = 0;    ///< All ranks have it.
  uint64_t exposed = 0; ///< How long the session waited for it.
};

struct StepTimes {
  uint64_t step = 0;
  uint64_t begin = 0; ///< The end of what ranks agreed on before.
  std::vector<BucketTime> buckets;
};

/// Notes the buckets of a rank. Any thread.
class BucketTimes {
public:
  /// What is told is of the last of so many steps.
  static constexpr size_t kMostSteps = 500;

  /// The session starts a bucket, of which the group cannot be done before its
  /// ticket is known here.
  template <typename Start>
  ranks::Group::Ticket noteReady(uint64_t bytes, Start start) {
    std::lock_guard<std::mutex> lock(mutex);
    tickets.push_back(start());
    current.buckets.push_back({.bytes = bytes});
    return tickets.back();
  }
  /// It has waited for one.
  void noteWait(ranks::Group::Ticket ticket, uint64_t nanoseconds);
  /// The group is done with a collective; of others than buckets, too.
  void noteDone(ranks::Group::Ticket ticket, const ranks::CollectiveTimes &);
  void endStep(uint64_t step);

  /// The steps behind `first`.
  std::vector<StepTimes> takeSteps(uint64_t first);

private:
  BucketTime *find(ranks::Group::Ticket ticket);

  std::mutex mutex;
  std::vector<ranks::Group::Ticket> tickets; ///< Of the step's buckets.
  StepTimes current;
  std::vector<StepTimes> steps;
};

} // namespace mpc::train

#endif // MPC_LIB_TRAIN_RANKS_BUCKETTIMES_H
