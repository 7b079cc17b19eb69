// How many keys the queries of an attention see: what either wing counts its
// operations by.
#ifndef MPC_SUPPORT_SEENKEYS_H
#define MPC_SUPPORT_SEENKEYS_H

#include <algorithm>
#include <cstdint>

namespace mpc {

/// Pairs of a query and a key that it sees, masks left out: query i sees no key
/// after i if `isCausal`, and none that stands `window` or more away, if that
/// is not 0. As a number that may be beyond 64 bits.
inline double countSeenPairs(int64_t queries, int64_t keys, bool isCausal,
                             int64_t window) {
  if (window >= std::max(queries, keys))
    window = 0;
  // Query i sees the keys from i - before to i + after.
  int64_t before = window ? window - 1 : queries;
  int64_t after = isCausal ? 0 : window ? window - 1 : keys;
  // Of the queries that see a key, those that see no later end of the keys, and
  // those that see no first one.
  int64_t all = std::min(queries, keys + before);
  int64_t early = std::clamp<int64_t>(keys - after, 0, all);
  int64_t late = std::max<int64_t>(0, all - 1 - before);
  auto sumTo = [](int64_t n) { // 1 + 2 + ... + n
    return static_cast<double>(n) * (static_cast<double>(n) + 1) / 2;
  };
  return static_cast<double>(early) * static_cast<double>(after) +
         sumTo(early) +
         static_cast<double>(all - early) * static_cast<double>(keys) -
         sumTo(late);
}

} // namespace mpc

#endif // MPC_SUPPORT_SEENKEYS_H
