// What messages between the ranks of a group cost, as two numbers: so long
// before bytes flow, and so many bytes a second then.
//
//   Result<std::vector<LinkTime>> times = measureLink(group, 3s);
//   Result<Link> link = fitLink(*times, group.size());
//   link->predict(25 << 20, group.size());
//
// They are those that the compiler cuts buckets by (--link-latency,
// --link-bandwidth), so what is timed are all-reduces of f32, as gradients
// travel: with the copies and sums that a rank makes beside its messages.
#ifndef MPC_RANKS_LINK_H
#define MPC_RANKS_LINK_H

#include "mpc/Ranks/Group.h"

namespace mpc::ranks {

struct Link {
  double latency = 0;   ///< Microseconds.
  double bandwidth = 0; ///< GB/s, of what a rank sends while it receives.

  /// Microseconds of an all-reduce of so many bytes by `ranks`: each rank sends
  /// all but its own part of them twice, once as they are and once as sums.
  double predict(uint64_t bytes, uint32_t ranks) const;
};

/// All-reduces of one length.
struct LinkTime {
  uint64_t bytes = 0;
  uint64_t calls = 0;
  double microseconds = 0; ///< Median; of the ranks' the greatest.
};

/// All-reduces of 32 KiB to 16 MiB, in turns, for about `time`, by an otherwise
/// idle group; all call it, and all get the same. What is shorter travels in
/// one message where buckets take two.
Result<std::vector<LinkTime>> measureLink(Group &group,
                                          std::chrono::milliseconds time);

/// The link whose predictions for `ranks` (2 or more) are nearest: of the
/// relative errors the sum of squares is the least. LibraryError: no link has
/// such times, those of a busy machine, say.
Result<Link> fitLink(const std::vector<LinkTime> &times, uint32_t ranks);

} // namespace mpc::ranks

#endif // MPC_RANKS_LINK_H
