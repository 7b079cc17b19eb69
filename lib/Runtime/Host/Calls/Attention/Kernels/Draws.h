// Which weights dropout leaves out: Philox4x32-10 (Salmon et al., 2011), with a
// query in each lane. A counter has four words, of two neighbouring keys each.
// Internal to the source of an instruction set: see HeadKernels.h.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_DRAWS_H
#define MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_DRAWS_H

#include "Lanes.h"

namespace {
inline Ints spreadWord(uint32_t word) {
  return static_cast<int32_t>(word) - Ints{};
}

/// Two words for each round.
struct Keys {
  Keys(uint32_t key0, uint32_t key1) {
    for (auto &round : words) {
      round[0] = static_cast<int32_t>(key0);
      round[1] = static_cast<int32_t>(key1);
      key0 += 0x9E3779B9u;
      key1 += 0xBB67AE85u;
    }
  }
  int32_t words[10][2];
};

/// Four words of each query of a block. Its vectors take turns: a round waits
/// for the one before.
struct Counter {
  Ints words[kVectors][4];

  void mix(const Keys &keys) {
    for (const auto &key : keys.words)
      for (Ints(&c)[4] : words) {
        Wide left = multiplyWide(c[0], 0xD2511F53u);
        Wide right = multiplyWide(c[2], 0xCD9E8D57u);
        c[0] = right.high ^ c[1] ^ key[0];
        c[1] = right.low;
        c[2] = left.high ^ c[3] ^ key[1];
        c[3] = left.low;
      }
  }
};

/// The counters of kBlock queries from `first` on for keys 8 group to 8 group
/// + 7.
inline Counter draw(const Head &head, int64_t first, int64_t group,
                    const Keys &keys) {
  constexpr uint32_t use = 2; // attention's, of all that draws
  auto groups = static_cast<uint32_t>((head.keys + 7) / 8);
  Counter counter;
  for (int64_t v = 0; v < kVectors; ++v) {
    uint32_t row = head.dropout.row + static_cast<uint32_t>(first + v * kLanes);
    Ints(&c)[4] = counter.words[v];
    c[0] = multiplyWide(number() + spreadWord(row), groups).low +
           spreadWord(static_cast<uint32_t>(group));
    c[1] = spreadWord(head.dropout.step);
    c[2] = Ints{};
    c[3] = spreadWord(use);
  }
  counter.mix(keys);
  return counter;
}

/// Factors of the weights of kBlock queries from `first` on for the keys
/// [begin, begin + count): 0 where a weight is left out, 1 / (1 - dropout)
/// elsewhere.
[[gnu::noinline]] void drawFactors(const Head &head, int64_t first,
                                   int64_t begin, int64_t count, float *to) {
  Keys keys(head.dropout.seed, head.dropout.stream);
  int32_t bound = head.dropout.bound;
  Floats kept = spread(head.dropout.kept);
  for (int64_t group = begin / 8; group * 8 < begin + count; ++group) {
    Counter counter = draw(head, first, group, keys);
    for (int64_t k = 0; k < 8; ++k) {
      int64_t key = group * 8 + k - begin;
      for (int64_t v = 0; v < kVectors && key >= 0 && key < count; ++v) {
        Ints word = counter.words[v][k / 2];
        word = k % 2 ? word : word << 16;
        store(to + key * kBlock + v * kLanes,
              choose(word < bound, Floats{}, kept));
      }
    }
  }
}
} // namespace

#endif // MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_DRAWS_H
