// The micro-kernel of products by vectors: a word of A in all lanes, times a
// row of B.
//
//   C[m][lane] (=, += or C alpha +) sum_k A(m, k) B[k][lane]
//
// A word has 32 bits. What is in it, one float or more numbers that are
// neighbours in k, is known to `multiplyAdd` alone, which whoever includes this
// has declared: it adds the product of two vectors of words to sums. So is
// kSumsAreFar, whether C is fetched beforehand.
// Internal to the source of an instruction set: see Vectors.h.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_VECTORS_MULTIPLYROWS_H
#define MPC_LIB_RUNTIME_HOST_CALLS_VECTORS_MULTIPLYROWS_H

#include "Vectors.h"

namespace {
using Word = int32_t;

constexpr int64_t kVectors = 2;
constexpr int64_t kBlock = kVectors * kLanes; ///< lanes of a row

/// A left operand: word (m, k) lies m * row + k * column bytes further.
struct Left {
  const char *data;
  int64_t row, column;
};

enum class Mode { Set, Add, Scale };

inline Ints loadWords(const Word *from) {
  Ints words;
  std::memcpy(&words, from, sizeof words);
  return words;
}
inline void storeWords(Word *to, Ints words) {
  std::memcpy(to, &words, sizeof words);
}

inline Left skipRows(Left a, int64_t count) {
  return {a.data + count * a.row, a.row, a.column};
}
inline Left skipColumns(Left a, int64_t count) {
  return {a.data + count * a.column, a.row, a.column};
}

/// The word at `from`, in each lane.
inline Ints spreadWord(const char *from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word - Ints{};
}

Floats multiplyAdd(Ints left, Ints right, Floats sum);

template <int rows>
void multiplyTile(Mode mode, int64_t inner, Left a, const Word *b, int64_t bRow,
                  float *c, int64_t cRow, const float *alpha) {
  Floats sums[rows][kVectors] = {};
  if (kSumsAreFar)
    for (int64_t m = 0; m < rows; ++m)
      for (int64_t v = 0; v < kVectors; ++v)
        __builtin_prefetch(c + m * cRow + v * kLanes, 1);
#if defined(__clang__)
#pragma clang loop unroll(disable) // or its accumulators do not fit
#endif
  for (int64_t k = 0; k < inner; ++k) {
    Ints right[kVectors];
    for (int64_t v = 0; v < kVectors; ++v)
      right[v] = loadWords(b + k * bRow + v * kLanes);
    for (int64_t m = 0; m < rows; ++m) {
      Ints left = spreadWord(a.data + m * a.row + k * a.column);
      for (int64_t v = 0; v < kVectors; ++v)
        sums[m][v] = multiplyAdd(left, right[v], sums[m][v]);
    }
  }
  for (int64_t m = 0; m < rows; ++m)
    for (int64_t v = 0; v < kVectors; ++v) {
      float *to = c + m * cRow + v * kLanes;
      Floats sum = sums[m][v];
      if (mode == Mode::Add)
        sum += load(to);
      else if (mode == Mode::Scale)
        sum += load(to) * load(alpha + v * kLanes);
      store(to, sum);
    }
}

/// A tile of `count` rows, at most `rows`.
template <int rows>
void multiplyRows(Mode mode, int64_t count, int64_t inner, Left a,
                  const Word *b, int64_t bRow, float *c, int64_t cRow,
                  const float *alpha) {
  if constexpr (rows > 0) {
    if (count == rows)
      multiplyTile<rows>(mode, inner, a, b, bRow, c, cRow, alpha);
    else
      multiplyRows<rows - 1>(mode, count, inner, a, b, bRow, c, cRow, alpha);
  }
}

/// `inner` words are summed. Tiles have as many rows as each other, or one
/// less: a narrow one would wait for its sums. One function for all modes,
/// which is a branch per tile: the code of its tiles is long.
[[gnu::noinline]] void multiplyByVectors(Mode mode, int64_t rows, int64_t inner,
                                         Left a, const Word *b, int64_t bRow,
                                         float *c, int64_t cRow,
                                         const float *alpha = nullptr) {
  int64_t done = 0;
  for (int64_t tiles = (rows + kTileRows - 1) / kTileRows; tiles > 0; --tiles) {
    int64_t count = (rows - done + tiles - 1) / tiles;
    multiplyRows<kTileRows>(mode, count, inner, skipRows(a, done), b, bRow,
                            c + done * cRow, cRow, alpha);
    done += count;
  }
}
} // namespace

#endif // MPC_LIB_RUNTIME_HOST_CALLS_VECTORS_MULTIPLYROWS_H
