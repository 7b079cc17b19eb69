// Which keys a query sees, and scores from products.
// Internal to the source of an instruction set: see HeadKernels.h.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_SCORES_H
#define MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_SCORES_H

#include "Rows.h"

namespace {
struct Range {
  int64_t first, last;
};

/// Keys that a query of [first, last) may see.
Range findKeys(const Head &head, int64_t first, int64_t last) {
  Range keys{0, head.keys};
  if (head.causal)
    keys.last = smaller(keys.last, last);
  if (head.window) {
    keys.first = larger(0, first - head.window + 1);
    keys.last = smaller(keys.last, last - 1 + head.window);
  }
  return keys;
}

/// Queries that may see a key of [first, last).
Range findQueries(const Head &head, int64_t first, int64_t last) {
  Range queries{0, head.queries};
  if (head.causal)
    queries.first = smaller(first, head.queries);
  if (head.window) {
    queries.first = larger(queries.first, first - head.window + 1);
    queries.last = smaller(queries.last, last - 1 + head.window);
  }
  return queries;
}

/// Scores of kBlock queries from `first` on: scaled, bounded, masked; -inf
/// where a query does not see a key. Their exponentials are powers of 2 of
/// differences times kLog2E: a mask may hold the least number of all, which has
/// no multiple.
class Scores {
public:
  Scores(const Head &head, int64_t first)
      : head(head), first(first), lane(number()) {}

  /// Whether keys [begin, end) are seen by all queries of the block alike.
  bool areAllSeen(int64_t begin, int64_t end) const {
    int64_t last = first + kBlock - 1;
    return !head.mask.data && !(head.causal && end - 1 > first) &&
           !(head.window &&
             (last - begin >= head.window || end - 1 - first >= head.window));
  }
  /// The row of the mask for `key`, in `row`, if there is one: numbers to add,
  /// or whether a query sees the key.
  void readMask(int64_t key, float *row) const {
    if (!head.mask.data)
      return;
    for (int64_t i = 0; i < kBlock; ++i) {
      int64_t query = smaller(first + i, head.queries - 1);
      int64_t at = query * head.mask.rowStride + key * head.maskStride;
      if (isFlags())
        row[i] = static_cast<const uint8_t *>(head.mask.data)[at] ? 1 : 0;
      else
        row[i] = widen(head.mask.type, head.mask.data, at);
    }
  }
  /// Scaled and bounded.
  Floats bound(Floats product) const {
    Floats s = product * head.scale;
    return head.softcap ? tanh(s * (1 / head.softcap)) * head.softcap : s;
  }
  /// Vector `v` of the scores of `key`.
  Floats mask(Floats bounded, int64_t key, int64_t v, const float *row) const {
    Floats s = bounded;
    // The score of a key that flags hide may be NaN, and does not count.
    if (head.mask.data && isFlags())
      s = choose(load(row + v * kLanes) != 0.0f, s, spread(-kInfinity));
    else if (head.mask.data)
      s += load(row + v * kLanes);
    Ints distance = lane + int32_t(first + v * kLanes - key);
    Ints seen = ~Ints{};
    if (head.causal)
      seen &= distance >= 0;
    if (head.window)
      seen &= (distance < int32_t(head.window)) &
              (-distance < int32_t(head.window));
    return choose(seen, s, spread(-kInfinity));
  }

private:
  bool isFlags() const { return head.mask.type == Element::I1; }

  const Head &head;
  int64_t first;
  Ints lane;
};
} // namespace

#endif // MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_SCORES_H
