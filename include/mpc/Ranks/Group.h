// Collectives among the ranks of a run: one thread and one queue per group.
//
//   Group group(std::move(transport), {.timeout = 30s});
//   Group::Ticket ticket = group.start({.kind = CollectiveKind::AllReduce,
//                                       .type = DType::F32, .count = 12,
//                                       .source = x, .result = x,
//                                       .name = "bucket 3"});
//   ... // x may not be touched
//   if (Status status = group.wait(ticket); !status.ok())
//
// All ranks start the same collectives in the same order, from any threads. A
// thread of the group, which sleeps while nothing comes, makes all calls of the
// engine.
//
// Sums are made in the order of the ranks, of f16 and bf16 in f32, and rounded
// once. So the bits depend on the values and the number of ranks alone: not on
// the engine, nor on how tensors are cut. Every rank gets the same.
//
// Every rank is connected to every other: an exchange of N ranks is N - 1
// messages of each, and a collective is one exchange (what is small, a barrier,
// a reduce-scatter, an all-gather) or two, with one more in front of long ones
// that are among the first. An all-reduce moves the fewest bytes that can be;
// of thousands of ranks the messages cost more than they carry.
//
// Ranks that begin with different collectives all fail: with what differs, of
// short ones and a group's first 256; of others as one that times out.
//
// The first failure is the group's last word: whatever waits or is started
// later fails with it. No rank can know what the others got of a collective
// that failed, so none may go on with what it got.
#ifndef MPC_RANKS_GROUP_H
#define MPC_RANKS_GROUP_H

#include "mpc/Ranks/Transport.h"
#include "mpc/Support/DType.h"

namespace mpc::ranks {

enum class CollectiveKind {
  AllReduce,     ///< `count` elements of each rank to `count` on each
  ReduceScatter, ///< `count` times the ranks; rank r has the r-th part of sums
  AllGather,     ///< `count` elements of each; rank r's are the r-th part
  Broadcast,     ///< `count` elements of the root to all
  Barrier,       ///< nothing; all ranks have come
  Leave,         ///< a barrier, the last of a group: meets no other kind of one
};

/// Whether nothing travels but that a rank has come.
inline bool isBarrier(CollectiveKind kind) {
  return kind == CollectiveKind::Barrier || kind == CollectiveKind::Leave;
}

/// Average: the sum divided by the number of ranks, before it is rounded. Max:
/// NaN if any is; of i1, whether any is true.
enum class Reduction { Sum, Average, Max };

/// One tensor of several that are reduced together.
struct Piece {
  const void *source;
  void *result; ///< May be the source.
  uint64_t count;
};

struct Collective {
  CollectiveKind kind = CollectiveKind::AllReduce;
  DType type = DType::F32;
  Reduction reduction = Reduction::Sum;
  uint64_t count = 0;
  /// May be the same as `result`, or as the rank's own part of that; must not
  /// overlap otherwise. Of a broadcast only the root has a source.
  const void *source = nullptr;
  void *result = nullptr;
  uint32_t root = 0;
  std::string name = {}; ///< for messages
  /// Of an all-reduce, instead of count, source and result: tensors that travel
  /// in one message. Those that do not lie behind each other are copied to one
  /// place, and back.
  std::vector<Piece> pieces = {};

  /// "all-reduce of 12 x f32, bucket 3".
  std::string text() const;
};

/// When a collective was started, begun by the thread of the group, and done.
struct CollectiveTimes {
  Clock::time_point started, begun, done;
};

/// InvalidArgument: it is none that `rank` of `size` can do. A group fails with
/// it.
Status check(const Collective &collective, uint32_t rank, uint32_t size);

struct GroupOptions {
  /// From when the group begins with a collective, which is when all before it
  /// are done, until every rank has done its part.
  std::chrono::milliseconds timeout{30000};
  /// After a failure of a collective: who is the cause. The thread of the group
  /// calls it before anybody here is told, so it may wait a little for news,
  /// and tell the other ranks; what it returns is added to the message.
  std::function<std::string(const Status &failure)> explain = {};
  /// The thread of the group calls it for each collective that has gone well,
  /// before anybody who waits is told.
  std::function<void(uint64_t ticket, const CollectiveTimes &)> observe = {};
};

class Group {
public:
  using Ticket = uint64_t;

  Group(std::unique_ptr<Transport> transport, const GroupOptions &options);
  /// What is under way or waits is aborted.
  ~Group();
  Group(const Group &) = delete;
  Group &operator=(const Group &) = delete;

  uint32_t rank() const;
  uint32_t size() const;

  /// Any thread. The memory belongs to the group until the ticket is done.
  Ticket start(Collective collective);
  bool isDone(Ticket ticket) const;
  /// Waits for `ticket`. CollectiveTimedOut, CollectiveFailed; InvalidArgument:
  /// it was none, which the other ranks only see as one that does not come.
  Status wait(Ticket ticket);
  Status run(Collective collective) {
    return wait(start(std::move(collective)));
  }

  /// Any thread: what is not done fails for this reason, and all later. One
  /// that is under way may still go well.
  void abort(const std::string &reason);
  /// The same, and waits, `patience` at most, for what is under way: how many
  /// have gone well, for good. What ends well later fails all the same.
  Ticket close(const std::string &reason, std::chrono::milliseconds patience);
  /// How many have gone well.
  Ticket finished() const;
  /// Any thread: a rank goes that had `finished` so many. These may go well
  /// here, too, since all that it was to send of them is on its way; what is
  /// behind them fails, and does not wait.
  void lose(Ticket finished);
  /// The first failure.
  Status status() const;

private:
  class Body;
  std::unique_ptr<Body> body;
};

} // namespace mpc::ranks

#endif // MPC_RANKS_GROUP_H
