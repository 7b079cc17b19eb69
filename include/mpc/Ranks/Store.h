// Where the ranks of one launch meet: a table of names and values that rank 0
// serves over TCP, and the news of who has gone.
//
//   Result<std::unique_ptr<Store>> store =
//       Store::join(launch, agreement, deadline, onLoss);
//   (*store)->set("gloo/0/1", address, deadline);
//   Result<std::string> other = (*store)->get("gloo/0/2", deadline);
//
// Rank 0 listens at the launcher's port, or where another process has that port
// (torchrun's own store does) at one of the kPorts - 1 behind it; the others go
// through them until a store of their run answers. A rank with another build,
// program or number of ranks is refused with the difference, on both sides.
//
// A connection stays open as long as its rank lives. When it breaks before the
// rank has left, or a rank reports a failure, every rank is told at once: that
// is how a collective that waits learns of a rank that was killed.
#ifndef MPC_RANKS_STORE_H
#define MPC_RANKS_STORE_H

#include "mpc/Ranks/Launch.h"

#include <chrono>
#include <memory>
#include <vector>

namespace mpc::ranks {

using Clock = std::chrono::steady_clock;

/// What all ranks of a run must have in common.
struct Agreement {
  std::string library; ///< version of mpc
  /// Hash of the program, and so of the collectives of its steps: kinds, types
  /// and counts. What goes in front of short ones and a group's first ones
  /// (docs/Ranks.md) compares the rest.
  std::string program;
  /// What an application says of itself: at most 64 KiB.
  std::string settings = {};
};

/// A rank that is lost, or that gave up.
struct Loss {
  uint32_t rank;
  std::string reason; ///< "its connection broke", or its own words
  /// Of one that gave up: what it was to send of so many collectives, the first
  /// ones, is on its way.
  uint64_t finished = 0;
};

/// "rank 1", "ranks 1, 2 and 5".
std::string listRanks(const std::vector<uint32_t> &ranks);

/// What the store knows of a rank.
enum class Presence : char {
  Answers = '1',
  Silent = '0', ///< as a process that was stopped
  Absent = '-', ///< never came
  Gone = 'x',   ///< left, or lost
};

class Store {
public:
  /// Ports that rank 0 may listen at, from the launcher's on.
  static constexpr uint16_t kPorts = 16;

  /// Serves (rank 0) or finds the store, and waits for all ranks. `onLoss` is
  /// called at most once per lost rank, by a thread of the store.
  /// CollectiveTimedOut: who had not come until `deadline`; InvalidArgument, on
  /// every rank: in what they do not agree.
  static Result<std::unique_ptr<Store>>
  join(const Launch &launch, const Agreement &agreement,
       Clock::time_point deadline, std::function<void(const Loss &)> onLoss);
  /// Leaves: the others are not told of a loss. The server stays until all have
  /// left, or for kFarewell.
  ~Store();
  Store(const Store &) = delete;
  Store &operator=(const Store &) = delete;

  static constexpr std::chrono::milliseconds kFarewell{2000};

  /// Any thread. Values of one name are set once; the first one stays: for
  /// ever, or until `readers` have got it, who are all that ask for it.
  /// InvalidArgument: a name and a value of more than 1 MiB.
  Status set(const std::string &name, const std::string &value,
             Clock::time_point deadline, uint32_t readers = 0);
  /// Waits until somebody has set it. CollectiveTimedOut after that;
  /// CollectiveFailed when the store is gone. `turn`, now and then while it
  /// waits, ends that by what it fails with.
  Result<std::string> get(const std::string &name, Clock::time_point deadline,
                          const std::function<Status()> &turn = {});
  /// Tells all ranks that this one gives up, in 16 KiB of `reason` at most, and
  /// what it has `finished` (Loss); waits for nothing.
  void report(const std::string &reason, uint64_t finished = 0);
  /// By rank, whose process answers within `patience`.
  Result<std::vector<Presence>> ask(std::chrono::milliseconds patience);

private:
  class Body;
  explicit Store(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body;
};

} // namespace mpc::ranks

#endif // MPC_RANKS_STORE_H
