// The micro-kernel by vectors: a word of A in all lanes, times a row of B.
// Internal to the source of an instruction set: see HeadKernels.h.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_PRODUCTS_VECTORS_H
#define MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_PRODUCTS_VECTORS_H

#include "Products.h"

namespace {
/// The word at `from`, in each lane.
inline Ints spreadWord(const char *from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word - Ints{};
}

template <int rows, Mode mode>
void multiplyTile(int64_t inner, Left a, const Word *b, int64_t bRow, float *c,
                  int64_t cRow, const float *alpha) {
  Floats sums[rows][kVectors] = {};
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
      if (mode == Mode::Scale)
        sum += load(to) * load(alpha + v * kLanes);
      store(to, sum);
    }
}

/// A tile of `count` rows, at most `rows`.
template <int rows, Mode mode>
void multiplyRows(int64_t count, int64_t inner, Left a, const Word *b,
                  int64_t bRow, float *c, int64_t cRow, const float *alpha) {
  if constexpr (rows > 0) {
    if (count == rows)
      multiplyTile<rows, mode>(inner, a, b, bRow, c, cRow, alpha);
    else
      multiplyRows<rows - 1, mode>(count, inner, a, b, bRow, c, cRow, alpha);
  }
}

struct VectorUnit {
  VectorUnit() {} // vectors are always on

  static int64_t countColumnWords(int64_t count, int64_t width) {
    return ::countColumnWords(count, width);
  }
  static Left viewColumns(Left rows, int64_t count, int64_t width,
                          Word *buffer) {
    return ::viewColumns(rows, count, width, buffer);
  }

  /// Tiles have as many rows as each other, or one less: a narrow one would
  /// wait for its sums.
  template <Mode mode>
  void multiply(int64_t rows, int64_t inner, Left a, const Word *b,
                int64_t bRow, float *c, int64_t cRow,
                const float *alpha = nullptr) const {
    int64_t done = 0;
    for (int64_t tiles = (rows + kTileRows - 1) / kTileRows; tiles > 0;
         --tiles) {
      int64_t count = (rows - done + tiles - 1) / tiles;
      multiplyRows<kTileRows, mode>(count, inner, skipRows(a, done), b, bRow,
                                    c + done * cRow, cRow, alpha);
      done += count;
    }
  }
};
} // namespace

#endif // MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_PRODUCTS_VECTORS_H
