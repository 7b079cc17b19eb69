// Rows of a head in memory, in the types that they have there.
// Internal to the source of an instruction set: see HeadKernels.h.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_ROWS_H
#define MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_ROWS_H

#include "../../Vectors/Halves.h"
#include "../Heads.h"

namespace {
using namespace mpc::runtime::attention;

constexpr int64_t kForwardKeys = 128, kBackwardKeys = 64;
constexpr float kInfinity = __builtin_inff();

inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
inline int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
inline int64_t roundUp(int64_t a, int64_t b) { return (a + b - 1) / b * b; }

/// A flag is 0 or 1.
inline float widen(Element type, const void *data, int64_t index) {
  if (type == Element::F32)
    return static_cast<const float *>(data)[index];
  if (type == Element::I1)
    return static_cast<const uint8_t *>(data)[index] ? 1 : 0;
  uint16_t half = static_cast<const uint16_t *>(data)[index];
  return type == Element::F16 ? _cvtsh_ss(half) : widenBFloat(half);
}

/// The numbers from `index` on; a flag is any but 0.
inline Floats readLanes(Element type, const void *data, int64_t index) {
  if (type == Element::F32)
    return load(static_cast<const float *>(data) + index);
  if (type == Element::I1) {
    uint8_t __attribute__((vector_size(kLanes))) flags;
    std::memcpy(&flags, static_cast<const uint8_t *>(data) + index, kLanes);
    return __builtin_convertvector(__builtin_convertvector(flags, Ints),
                                   Floats);
  }
  const uint16_t *from = static_cast<const uint16_t *>(data) + index;
  return type == Element::BF16 ? widenBFloats(from) : widenHalfs(from);
}

/// Row `t`, and zeros up to a whole number of vectors.
inline void readRow(const Rows &rows, int64_t t, int64_t width, float *to) {
  int64_t begin = t * rows.rowStride, c = 0;
  if (rows.type == Element::F32) {
    std::memcpy(to, static_cast<const float *>(rows.data) + begin, 4 * width);
    c = width;
  } else {
    for (; c + kLanes <= width; c += kLanes)
      store(to + c, readLanes(rows.type, rows.data, begin + c));
    for (; c < width; ++c)
      to[c] = widen(rows.type, rows.data, begin + c);
  }
  for (; c < roundUp(width, kLanes); ++c)
    to[c] = 0;
}

/// The first `count` lanes to columns `column` and on of row `t`.
template <Element type>
void writeLanes(const Rows &rows, int64_t t, int64_t column, int64_t count,
                Floats x) {
  constexpr int64_t bytes = type == Element::F32 ? 4 : 2;
  char *to = static_cast<char *>(const_cast<void *>(rows.data)) +
             (t * rows.rowStride + column) * bytes;
  char last[4 * kLanes];
  char *whole = count < kLanes ? last : to;
  if (type == Element::F32)
    std::memcpy(whole, &x, sizeof x);
  else if (type == Element::BF16)
    narrowToBFloats(x, reinterpret_cast<uint16_t *>(whole));
  else
    narrowToHalfs(x, reinterpret_cast<uint16_t *>(whole));
  if (count < kLanes)
    std::memcpy(to, last, count * bytes);
}

template <Element type>
void writeRowAs(const Rows &rows, int64_t t, int64_t width, float factor,
                const float *from) {
  for (int64_t c = 0; c < width; c += kLanes)
    writeLanes<type>(rows, t, c, smaller(kLanes, width - c),
                     load(from + c) * factor);
}

/// Row `t` times `factor`. `from` has whole vectors.
inline void writeRow(const Rows &rows, int64_t t, int64_t width, float factor,
                     const float *from) {
  if (rows.type == Element::F32)
    writeRowAs<Element::F32>(rows, t, width, factor, from);
  else if (rows.type == Element::BF16)
    writeRowAs<Element::BF16>(rows, t, width, factor, from);
  else
    writeRowAs<Element::F16>(rows, t, width, factor, from);
}

/// Parts of the dot product of two rows, with zeros up to a whole number of
/// vectors.
inline Floats multiplyRowPair(const float *a, const float *b, int64_t width) {
  Floats sums = {};
  for (int64_t c = 0; c < width; c += kLanes)
    sums += load(a + c) * load(b + c);
  return sums;
}

/// The sum of the lanes of each row.
inline Floats sumRows(Ints (&rows)[kLanes]) {
  transpose(rows);
  for (int count = kLanes / 2; count > 0; count /= 2)
    for (int i = 0; i < count; ++i)
      rows[i] = toBits(fromBits(rows[i]) + fromBits(rows[i + count]));
  return fromBits(rows[0]);
}
} // namespace

#endif // MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_ROWS_H
