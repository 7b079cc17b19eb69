// What every rank says of a collective in front of it. Private to this room.
//
// Ranks that mean different collectives would take the bytes of one for
// another's, which ends the process in Gloo and spoils memory in MPI. What they
// say has one size, whatever they mean, so it always arrives.
#ifndef MPC_LIB_RANKS_GROUP_ANNOUNCEMENT_H
#define MPC_LIB_RANKS_GROUP_ANNOUNCEMENT_H

#include "mpc/Ranks/Group.h"

namespace mpc::ranks {

/// Whether ranks' elements become one.
inline bool folds(CollectiveKind kind) {
  return kind == CollectiveKind::AllReduce ||
         kind == CollectiveKind::ReduceScatter;
}

struct Announcement {
  /// The group's number of the collective.
  uint64_t number, count;
  /// Fields that mean nothing to its kind are 0.
  uint32_t kind, type, reduction, root;
  char name[96]; ///< For messages: as much of it as fits, and a zero.
  /// Of a short one, what this rank brings.
  alignas(8) std::byte elements[128];

  /// Whether all that a rank brings to `which`, which has no pieces, fits.
  static bool holds(const Collective &which);
  void say(const Collective &which, uint64_t itsNumber, uint32_t rank);
  /// Whether both mean the same, by whatever name.
  bool isLike(const Announcement &other) const;
  /// "all-reduce of 12 x f32, bucket 3 (sum), number 7"; of what a peer has
  /// sent that is no announcement: that.
  std::string text() const;
};

} // namespace mpc::ranks

#endif // MPC_LIB_RANKS_GROUP_ANNOUNCEMENT_H
