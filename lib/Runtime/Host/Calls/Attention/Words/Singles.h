// Words of one float, for operands of any type: what is narrower is widened.
// Internal to the source of an instruction set: see HeadKernels.h.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_SINGLES_H
#define MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_SINGLES_H

#include "Words.h"

namespace {
constexpr int64_t kPair = 1;

inline Floats multiplyAdd(Ints left, Ints right, Floats sum) {
  return fromBits(left) * fromBits(right) + sum;
}

inline void readWords(const Rows &rows, int64_t t, int64_t width, Word *to) {
  readRow(rows, t, width, reinterpret_cast<float *>(to));
}

/// Words that viewRows needs for a row.
inline int64_t countRowWords(const Rows &rows, int64_t width) {
  return rows.type == Element::F32 ? 0 : roundUp(width, kLanes);
}
/// Rows [first, first + count): where they lie, or in `buffer`.
inline Left viewRows(const Rows &rows, int64_t first, int64_t count,
                     int64_t width, Word *buffer) {
  if (rows.type == Element::F32)
    return {static_cast<const char *>(rows.data) + 4 * first * rows.rowStride,
            4 * rows.rowStride, 4};
  int64_t words = roundUp(width, kLanes);
  for (int64_t t = 0; t < count; ++t)
    readWords(rows, first + t, width, buffer + t * words);
  return {reinterpret_cast<const char *>(buffer), 4 * words, 4};
}

/// Words that viewColumns needs for `count` rows.
inline int64_t countColumnWords(int64_t, int64_t) { return 0; }
inline Left viewColumns(Left rows, int64_t, int64_t, Word *) {
  return {rows.data, rows.column, rows.row};
}

inline void packPair(const Rows &rows, int64_t t, int64_t, int64_t width,
                     Word *to) {
  readWords(rows, t, width, to);
}

inline Ints joinRows(const Floats (&rows)[kPair]) { return toBits(rows[0]); }
inline void storeRows(const Floats (&rows)[kPair], Word *to, int64_t) {
  std::memcpy(to, &rows[0], sizeof rows[0]);
}
/// `words` are the row itself.
inline void storeBoth(const Floats (&rows)[kPair], Word *to, int64_t stride,
                      Word *) {
  storeRows(rows, to, stride);
}
} // namespace

#endif // MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_SINGLES_H
