// All ranks of a launch, connected: a store, an engine, and a group that knows
// who was lost.
//
//   Result<Launch> launch = readLaunch();
//   Result<std::unique_ptr<World>> world =
//       World::join(*launch, agreement, {.timeout = 30s});
//   Status status = (*world)->group().run({...});
//   (*world)->leave();
//
// Ranks find each other by the store, and connect by what it holds; or, with an
// engine that what launched them has connected (MPI), by that, and the store is
// where rank 0 says by it.
#ifndef MPC_RANKS_WORLD_H
#define MPC_RANKS_WORLD_H

#include "mpc/Ranks/Group.h"

#include <atomic>

namespace mpc::ranks {

/// A leap year. Times up to it can be added to what a clock shows.
inline constexpr std::chrono::seconds kMostTimeout{366 * 24 * 3600};

struct WorldOptions {
  std::string engine = {}; ///< Of Transport::open; "": Launch::engine().
  /// Of joining, and of each collective: kMostTimeout at most.
  std::chrono::milliseconds timeout{30000};
  decltype(GroupOptions::observe) observe = {}; ///< As a group's.
  ForeignRanks ranks = {}; ///< Of Transport::place, which the launch is of.
  /// Worlds that a process joins under one name one after the other meet those
  /// that other processes join under it, in this order: also of tries that
  /// have failed, all ranks make as many, but for what fails before it looks
  /// for the others (no such engine). Worlds that are there at the same time
  /// may have different names.
  std::string name = "world";
};

class World {
public:
  /// InvalidArgument, on every rank: in what they do not agree, or nobody says
  /// where rank 0 is. CollectiveTimedOut: who had not come.
  static Result<std::unique_ptr<World>> join(const Launch &launch,
                                             const Agreement &agreement,
                                             const WorldOptions &options);
  /// Gives up, unless this rank has left.
  ~World();

  Group &group();
  /// As it was found out: with neighbours, and what rank 0 has chosen.
  const Launch &launch() const;
  /// What messages go by; "": there is one rank alone, and there are none.
  const std::string &engine() const;
  /// Any thread, and no collective: tells the other ranks something by a name
  /// that is used once. `readers` ranks will hear it, and it is forgotten then;
  /// 0: nobody knows how many. CollectiveFailed, at once, after a loss.
  Status tell(const std::string &name, const std::string &value,
              uint32_t readers = 0);
  /// Waits, as long as it takes, until a rank tells it. CollectiveFailed: a
  /// rank is lost, or does not answer, or `isOver` is set. `onLate`: all
  /// answer, but it has taken as long as a collective may, again and again.
  Result<std::string> hear(const std::string &name,
                           const std::atomic<bool> &isOver,
                           const std::function<void()> &onLate = {});
  /// Any thread: the first rank that was lost or gave up, and why, though no
  /// collective has failed yet; this one's reason if it has given up; or "".
  std::string lost() const;
  /// When all are done, which a barrier tells.
  void leave();
  /// This rank cannot go on: the others are told why.
  void giveUp(const std::string &reason);

private:
  class Body;
  explicit World(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body;
};

} // namespace mpc::ranks

#endif // MPC_RANKS_WORLD_H
