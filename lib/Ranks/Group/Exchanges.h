// Collectives as exchanges of messages. Private to this room.
//
// A reduction sends each rank the part that it is to fold and folds its own, in
// the order of the ranks; an all-reduce gathers the parts then. What is small
// is sent whole to everybody, who folds it alike: one exchange for two. Tensors
// that are reduced together are one to it.
//
// In front of one goes a message of fixed size, by which every rank says what
// it is about to do (Announcement.h). It has room for a few elements: what is
// as short as that is done with it. Of longer ones it goes in front of those
// among a group's first kAnnounced collectives (short ones count too): ranks
// that were started differently differ there, and a message more is a third of
// a step of a millisecond. Later ones that differ do not meet: their messages
// are of another kind to the transport, and time out.
#ifndef MPC_LIB_RANKS_GROUP_EXCHANGES_H
#define MPC_LIB_RANKS_GROUP_EXCHANGES_H

#include "Announcement.h"

namespace mpc::ranks {

class Exchanges {
public:
  explicit Exchanges(Transport &transport) : transport(transport) {}

  /// Of one that was checked.
  Status run(const Collective &collective, Clock::time_point deadline);

  /// Bytes of an all-reduce or broadcast, at most, that go to everybody whole.
  static constexpr uint64_t kWholeBytes = 16 * 1024;
  /// Of the first collectives of a group, those that are not short are
  /// announced, too.
  static constexpr uint64_t kAnnounced = 256;

private:
  /// Elements of one rank.
  struct Part {
    uint64_t first = 0, count = 0;
  };
  using Parts = std::vector<Part>;

  Status announce();
  void finishShort();
  Status runPieces(const Collective &collective);
  Status runWhole(const Collective &collective);
  Parts cut(uint64_t count) const;
  Parts repeat(uint64_t count) const;
  Status foldParts(const Parts &parts, std::byte *result);
  Status foldWhole();
  Status gather(const Parts &parts);
  Status allGather();
  Status broadcast();
  Status sendWhole();
  Status exchange();

  const std::byte *source(uint64_t element) const;
  std::byte *result(uint64_t element) const;

  Transport &transport;
  uint64_t number = 0; ///< How many there were.
  uint64_t kind = 0; ///< Of what is exchanged, as the transport tells it apart.
  std::vector<Announcement> announced; ///< Of each rank.
  const Collective *collective = nullptr;
  Clock::time_point deadline;
  uint64_t elementBytes = 0;
  std::vector<std::byte> scratch; ///< of what others send to be folded
  std::vector<std::byte> packed;  ///< pieces, behind each other
  std::vector<Outgoing> sends;
  std::vector<Incoming> receives;
};

} // namespace mpc::ranks

#endif // MPC_LIB_RANKS_GROUP_EXCHANGES_H
