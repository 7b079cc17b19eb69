// Which keys a query sees, and scores from products.
// Internal to the source of an instruction set: see HeadKernels.h.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_SCORES_H
#define MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_SCORES_H

#include "Draws.h"

namespace {
struct Range {
  int64_t first, last;
};

/// Keys that a query of [first, last) may see; where there are none, last is
/// first, which is at most the number of keys.
Range findKeys(const Head &head, int64_t first, int64_t last) {
  Range keys{0, head.keys};
  if (head.causal)
    keys.last = smaller(keys.last, last);
  if (head.window) {
    keys.first = smaller(head.keys, larger(0, first - head.window + 1));
    keys.last = smaller(keys.last, last - 1 + head.window);
  }
  keys.last = larger(keys.first, keys.last);
  return keys;
}

/// Queries that may see a key of [first, last); where there are none, last is
/// first.
Range findQueries(const Head &head, int64_t first, int64_t last) {
  Range queries{0, head.queries};
  if (head.causal)
    queries.first = smaller(first, head.queries);
  if (head.window) {
    queries.first = larger(queries.first, first - head.window + 1);
    queries.last = smaller(queries.last, last - 1 + head.window);
  }
  queries.last = larger(queries.first, queries.last);
  return queries;
}

/// What says which keys the queries of a block see.
enum class Seen { All, ByPosition, ByMask };

/// Scores of kBlock queries from `first` on: scaled, bounded, masked; -inf
/// where a query does not see a key. Has copies of what it needs: what is
/// stored might change a head.
class Scores {
public:
  Scores(const Head &head, int64_t first)
      : head(head), first(first), scale(head.scale), softcap(head.softcap),
        inverseCap(1 / softcap), lane(number()) {
    constexpr int32_t far = 0x7fffffff;
    int32_t reach = head.window ? int32_t(head.window - 1) : far;
    most = Ints{} + reach;
    least = Ints{} - (head.causal ? 0 : reach);
  }

  /// For the keys [begin, end).
  Seen see(int64_t begin, int64_t end) const {
    if (head.isMasked)
      return Seen::ByMask;
    int64_t last = first + kBlock - 1;
    bool bounded = (head.causal && end - 1 > first) ||
                   (head.window && (last - begin >= head.window ||
                                    end - 1 - first >= head.window));
    return bounded ? Seen::ByPosition : Seen::All;
  }
  /// The mask for the keys [begin, begin + count), with a query in each lane:
  /// numbers to add, or whether a query sees the key. `rows` has whole squares.
  [[gnu::noinline]] void readMask(int64_t begin, int64_t count,
                                  float *rows) const {
    for (int64_t i = 0; i < kBlock; i += kLanes)
      for (int64_t j = 0; j < count; j += kLanes) {
        Ints square[kLanes];
        for (int64_t r = 0; r < kLanes; ++r)
          square[r] = toBits(
              readKeys(first + i + r, begin + j, smaller(kLanes, count - j)));
        transpose(square);
        for (int64_t r = 0; r < kLanes; ++r)
          store(rows + (j + r) * kBlock + i, fromBits(square[r]));
      }
  }
  /// Whether scores differ from products by a positive factor alone, where a
  /// query sees the key.
  bool areProducts() const { return !head.isMasked && !softcap && scale > 0; }
  float getScale() const { return scale; }
  /// Scaled and bounded.
  Floats bound(Floats product) const {
    Floats s = rounded(product * scale);
    return softcap ? tanh(s * inverseCap) * softcap : s;
  }
  /// `slope` of the bounded score, as one of the scaled.
  Floats differentiateBound(Floats bounded, Floats slope) const {
    Floats ratio = bounded * inverseCap;
    return softcap ? slope * (1.0f - ratio * ratio) : slope;
  }
  /// Vector `v` of the scores of `key`.
  template <Seen seen>
  Floats mask(Floats bounded, int64_t key, int64_t v, const float *row) const {
    Floats s = bounded;
    // The score of a key that flags hide may be NaN, and does not count.
    if (seen == Seen::ByMask && isFlags())
      s = choose(load(row + v * kLanes) != 0.0f, s, spread(-kInfinity));
    else if (seen == Seen::ByMask)
      s += load(row + v * kLanes);
    if (seen == Seen::All)
      return s;
    Ints distance = lane + int32_t(first + v * kLanes - key);
    return choose((distance >= least) & (distance <= most), s,
                  spread(-kInfinity));
  }

  /// e to the difference of scores.
  template <int degree = 6> static Floats exponentiate(Floats difference) {
    return exp2<degree>(difference * kLog2E);
  }
  /// The same for a weight, which becomes a word.
  static Floats weigh(Floats difference) {
    return exponentiate<kPair == 1 ? 6 : 4>(difference);
  }

private:
  /// The mask of one query for keys from `key` on.
  Floats readKeys(int64_t query, int64_t key, int64_t count) const {
    query = smaller(query, head.queries - 1);
    int64_t at = query * head.mask.rowStride + key * head.maskStride;
    if (head.maskStride == 1 && count == kLanes)
      return readLanes(head.mask.type, head.mask.data, at);
    Floats numbers = {};
    for (int64_t j = 0; j < count; ++j)
      numbers[j] =
          widen(head.mask.type, head.mask.data, at + j * head.maskStride);
    return numbers;
  }
  bool isFlags() const { return head.mask.type == Element::I1; }

  const Head &head;
  int64_t first;
  float scale, softcap, inverseCap;
  /// A query sees keys from `least` to `most` before it.
  Ints lane, least, most;
};
} // namespace

#endif // MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_SCORES_H
