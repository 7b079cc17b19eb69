// Rows of a head in memory, in the types and strides that they have there, as
// rows of floats or with a query in each lane.
// Internal to the source of an instruction set: see HeadKernels.h.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_ROWS_H
#define MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_ROWS_H

#include "Products.h"

namespace {
inline float widen(Element type, const void *data, int64_t index) {
  if (type == Element::F32)
    return static_cast<const float *>(data)[index];
  uint16_t half = static_cast<const uint16_t *>(data)[index];
  if (type == Element::F16)
    return _cvtsh_ss(half);
  uint32_t bits = uint32_t(half) << 16;
  float x;
  std::memcpy(&x, &bits, 4);
  return x;
}

void readRow(const Rows &rows, int64_t t, int64_t width, float *to) {
  int64_t begin = t * rows.rowStride;
  if (rows.type == Element::F32)
    std::memcpy(to, static_cast<const float *>(rows.data) + begin, 4 * width);
  else
    for (int64_t c = 0; c < width; ++c)
      to[c] = widen(rows.type, rows.data, begin + c);
}

inline uint16_t toBFloat(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, 4);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return uint16_t(bits >> 16 | 0x40); // NaN stays one
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

void writeRow(const Rows &rows, int64_t t, int64_t width, const float *from) {
  int64_t begin = t * rows.rowStride;
  void *data = const_cast<void *>(rows.data);
  if (rows.type == Element::F32) {
    std::memcpy(static_cast<float *>(data) + begin, from, 4 * width);
    return;
  }
  uint16_t *to = static_cast<uint16_t *>(data) + begin;
  for (int64_t c = 0; c < width; ++c)
    to[c] = rows.type == Element::F16
                ? _cvtss_sh(from[c], _MM_FROUND_TO_NEAREST_INT)
                : toBFloat(from[c]);
}

/// Rows [first, first + count) as floats: where they lie, or in `buffer`.
Left viewRows(const Rows &rows, int64_t first, int64_t count, int64_t width,
              float *buffer) {
  if (rows.type == Element::F32)
    return {static_cast<const float *>(rows.data) + first * rows.rowStride,
            rows.rowStride, 1};
  for (int64_t t = 0; t < count; ++t)
    readRow(rows, first + t, width, buffer + t * width);
  return {buffer, width, 1};
}

Left transposed(Left a) { return {a.data, a.column, a.row}; }

/// Rows of a block of queries with a query in each lane; 0 past the last one.
void packLanes(const Rows &rows, int64_t first, int64_t last, int64_t width,
               float *row, float *to) {
  for (int64_t i = 0; i < kBlock; ++i) {
    if (first + i < last)
      readRow(rows, first + i, width, row);
    else
      std::memset(row, 0, 4 * width);
    for (int64_t c = 0; c < width; ++c)
      to[c * kBlock + i] = row[c];
  }
}

/// The reverse, times `scale`.
void unpackLanes(const float *from, float scale, int64_t first, int64_t last,
                 int64_t width, float *row, const Rows &to) {
  for (int64_t i = 0; i < kBlock && first + i < last; ++i) {
    for (int64_t c = 0; c < width; ++c)
      row[c] = from[c * kBlock + i] * scale;
    writeRow(to, first + i, width, row);
  }
}

inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
inline int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
inline int64_t roundUp(int64_t a, int64_t b) { return (a + b - 1) / b * b; }

/// Floats, one piece after the other, each at a multiple of 64 bytes.
struct Scratch {
  float *next;
  float *take(int64_t count) {
    float *taken = next;
    next += roundUp(count, 16);
    return taken;
  }
};
} // namespace

#endif // MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_ROWS_H
