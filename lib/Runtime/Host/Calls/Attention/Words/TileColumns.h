// Columns of pairs for products by tiles: words along time stand next to each
// other, which is a row of a tile.
// Internal to the source of an instruction set: see HeadKernels.h.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_TILECOLUMNS_H
#define MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_TILECOLUMNS_H

#include "Pairs.h"

namespace {
/// Words of a column. An odd number of cache lines: the rows of a tile would
/// else be in few sets of the cache.
inline int64_t countWordsOfColumn(int64_t count) {
  return roundUp((count + 1) / 2, int64_t{2} * kLanes) + kLanes;
}
inline int64_t countTileColumnWords(int64_t count, int64_t width) {
  return roundUp(width, kLanes) * countWordsOfColumn(count);
}

/// Columns [c, c + channels) of rows `t` and `t + 1`, as pairs.
inline Ints readPairs(Left rows, int64_t t, int64_t count, int64_t c,
                      int64_t channels) {
  auto mask = static_cast<__mmask16>((1u << channels) - 1);
  auto widened = [&](int64_t row) {
    if (row >= count)
      return __m512i();
    const char *from = rows.data + row * rows.row + 2 * c;
    return _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(mask, from));
  };
  return (
      Ints)(_mm512_or_si512(widened(t), _mm512_slli_epi32(widened(t + 1), 16)));
}

inline Left viewTileColumns(Left rows, int64_t count, int64_t width,
                            Word *buffer) {
  int64_t words = countWordsOfColumn(count);
  for (int64_t t = 0; t < count; t += int64_t{2} * kLanes)
    for (int64_t c = 0; c < width; c += kLanes) {
      Ints square[kLanes];
      for (int64_t r = 0; r < kLanes; ++r)
        square[r] =
            readPairs(rows, t + 2 * r, count, c, smaller(kLanes, width - c));
      transpose(square);
      for (int64_t r = 0; r < kLanes; ++r)
        storeWords(buffer + (c + r) * words + t / 2, square[r]);
    }
  return {reinterpret_cast<const char *>(buffer), 4 * words, 4};
}
} // namespace

#endif // MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_TILECOLUMNS_H
