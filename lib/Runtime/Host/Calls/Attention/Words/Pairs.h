// Words of two numbers of bf16, for operands of that type, with AVX512-BF16: a
// product of two words adds both of their products to a float. The instruction
// takes subnormals for zeros, and so does the one that rounds.
// Internal to the source of an instruction set: see HeadKernels.h.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_PAIRS_H
#define MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_PAIRS_H

#include "Words.h"

namespace {
constexpr int64_t kPair = 2;

inline Floats multiplyAdd(Ints left, Ints right, Floats sum) {
  return (Floats)_mm512_dpbf16_ps((__m512)sum, (__m512bh)left, (__m512bh)right);
}

inline const uint16_t *getRow(const Rows &rows, int64_t t) {
  return static_cast<const uint16_t *>(rows.data) + t * rows.rowStride;
}

/// And zeros up to a whole number of vectors.
inline void readWords(const Rows &rows, int64_t t, int64_t width, Word *to) {
  int64_t bytes = 2 * width;
  std::memcpy(to, getRow(rows, t), bytes);
  std::memset(reinterpret_cast<char *>(to) + bytes, 0,
              4 * roundUp(width, int64_t{2} * kLanes) / 2 - bytes);
}

/// An odd width has a last word to which another row's number would belong.
inline int64_t countRowWords(const Rows &, int64_t width) {
  return width % 2 ? roundUp(width, int64_t{2} * kLanes) / 2 : 0;
}
inline Left viewRows(const Rows &rows, int64_t first, int64_t count,
                     int64_t width, Word *buffer) {
  if (width % 2 == 0)
    return {reinterpret_cast<const char *>(getRow(rows, first)),
            2 * rows.rowStride, 4};
  int64_t words = countRowWords(rows, width);
  for (int64_t t = 0; t < count; ++t)
    readWords(rows, first + t, width, buffer + t * words);
  return {reinterpret_cast<const char *>(buffer), 4 * words, 4};
}

inline void interleaveRows(const uint16_t *a, const uint16_t *b, int64_t width,
                           Word *to) {
  for (int64_t c = 0; c < width; ++c)
    to[c] = Word(a[c] | uint32_t(b[c]) << 16);
}
inline void spaceRow(const uint16_t *a, int64_t width, Word *to) {
  for (int64_t c = 0; c < width; ++c)
    to[c] = a[c];
}

/// Rows `t` and `t + 1`, of `count`; past them zeros.
inline void packPair(const Rows &rows, int64_t t, int64_t count, int64_t width,
                     Word *to) {
  if (t + 1 < count)
    interleaveRows(getRow(rows, t), getRow(rows, t + 1), width, to);
  else if (t < count)
    spaceRow(getRow(rows, t), width, to);
}

inline __m512i roundRows(const Floats (&rows)[kPair]) {
  return (__m512i)_mm512_cvtne2ps_pbh((__m512)rows[1], (__m512)rows[0]);
}
inline Ints joinHalves(__m512i rows) {
  alignas(64) static constexpr uint16_t order[] = {
      0, 16, 1, 17, 2,  18, 3,  19, 4,  20, 5,  21, 6,  22, 7,  23,
      8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
  return (Ints)_mm512_permutexvar_epi16(_mm512_load_si512(order), rows);
}
inline void storeHalves(__m512i rows, Word *to, int64_t stride) {
  __m256i first = _mm512_castsi512_si256(rows),
          second = _mm512_extracti64x4_epi64(rows, 1);
  std::memcpy(to, &first, sizeof first);
  std::memcpy(to + stride, &second, sizeof second);
}

inline Ints joinRows(const Floats (&rows)[kPair]) {
  return joinHalves(roundRows(rows));
}
/// The second row lies `stride` words after the first.
inline void storeRows(const Floats (&rows)[kPair], Word *to, int64_t stride) {
  storeHalves(roundRows(rows), to, stride);
}
inline void storeBoth(const Floats (&rows)[kPair], Word *to, int64_t stride,
                      Word *words) {
  __m512i rounded = roundRows(rows);
  storeHalves(rounded, to, stride);
  Ints joined = joinHalves(rounded);
  std::memcpy(words, &joined, sizeof joined);
}
} // namespace

#endif // MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_PAIRS_H
