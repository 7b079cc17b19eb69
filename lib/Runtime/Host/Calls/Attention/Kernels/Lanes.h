// Rows of a head with a query in each lane, and back; and memory for them.
// Internal to the source of an instruction set: see HeadKernels.h.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_LANES_H
#define MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_LANES_H

#include "../Products/Products.h"

namespace {
/// Words of `width` numbers, and as many as whole vectors of them have.
inline int64_t countWords(int64_t width) { return (width + kPair - 1) / kPair; }
inline int64_t countPaddedWords(int64_t width) {
  return roundUp(countWords(width), kLanes);
}

/// Queries [first, first + kBlock) with a query in each lane, as
/// `countPaddedWords(width)` vectors of kBlock words; 0 past `last`. `rows` has
/// room for as many.
[[gnu::noinline]] void packLanes(const Rows &from, int64_t first, int64_t last,
                                 int64_t width, Word *rows, Word *to) {
  int64_t words = countPaddedWords(width);
  for (int64_t i = 0; i < kBlock; ++i)
    if (first + i < last)
      readWords(from, first + i, width, rows + i * words);
    else
      std::memset(rows + i * words, 0, 4 * words);
  for (int64_t i = 0; i < kBlock; i += kLanes)
    for (int64_t c = 0; c < words; c += kLanes) {
      Ints square[kLanes];
      for (int64_t r = 0; r < kLanes; ++r)
        square[r] = loadWords(rows + (i + r) * words + c);
      transpose(square);
      for (int64_t r = 0; r < kLanes; ++r)
        storeWords(to + (c + r) * kBlock + i, square[r]);
    }
}

template <Element type>
void unpackLanesAs(const float *from, const Floats (&factors)[kVectors],
                   int64_t first, int64_t last, int64_t width, const Rows &to) {
  for (int64_t v = 0; v < kVectors; ++v)
    for (int64_t c = 0; c < width; c += kLanes) {
      Ints square[kLanes];
      for (int64_t r = 0; r < kLanes; ++r)
        square[r] =
            toBits(load(from + (c + r) * kBlock + v * kLanes) * factors[v]);
      transpose(square);
      int64_t query = first + v * kLanes, channels = smaller(kLanes, width - c);
      for (int64_t r = 0; r < kLanes && query + r < last; ++r)
        writeLanes<type>(to, query + r, c, channels, fromBits(square[r]));
    }
}

/// The reverse, for floats, each query times its factor. `from` has whole
/// vectors of channels.
inline void unpackLanes(const float *from, const Floats (&factors)[kVectors],
                        int64_t first, int64_t last, int64_t width,
                        const Rows &to) {
  if (to.type == Element::F32)
    unpackLanesAs<Element::F32>(from, factors, first, last, width, to);
  else if (to.type == Element::BF16)
    unpackLanesAs<Element::BF16>(from, factors, first, last, width, to);
  else
    unpackLanesAs<Element::F16>(from, factors, first, last, width, to);
}

/// Memory that a function needs, one piece after the other, each at a multiple
/// of 64 bytes. Without memory it counts.
class Scratch {
public:
  explicit Scratch(float *memory) : memory(memory) {}
  float *take(int64_t count) {
    float *taken = memory ? memory + used : nullptr;
    used += roundUp(count, 16);
    return taken;
  }
  Word *takeWords(int64_t count) {
    return reinterpret_cast<Word *>(take(count));
  }
  int64_t count() const { return used; }

private:
  float *memory;
  int64_t used = 0;
};
} // namespace

#endif // MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_LANES_H
