// The micro-kernel: C[m][lane] (=, += or C alpha +) sum_k A(m, k) B[k][lane].
// Internal to the source of an instruction set: see HeadKernels.h.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_PRODUCTS_H
#define MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_PRODUCTS_H

#include "Vectors.h"

namespace {
enum class Mode { Set, Add, Scale };

/// The left operand: element (m, k) lies m * row + k * column further.
struct Left {
  const float *data;
  int64_t row, column;
};

template <int rows, Mode mode>
void multiplyTile(int64_t inner, Left a, const float *b, int64_t bRow, float *c,
                  int64_t cRow, const float *alpha) {
  Floats sums[rows][kVectors] = {};
#if defined(__clang__)
#pragma clang loop unroll(disable) // or its accumulators do not fit
#endif
  for (int64_t k = 0; k < inner; ++k) {
    Floats right[kVectors];
    for (int64_t v = 0; v < kVectors; ++v)
      right[v] = load(b + k * bRow + v * kLanes);
    for (int64_t m = 0; m < rows; ++m) {
      Floats left = spread(a.data[m * a.row + k * a.column]);
      for (int64_t v = 0; v < kVectors; ++v)
        sums[m][v] += left * right[v];
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

/// The last rows, fewer than a tile has.
template <int rows, Mode mode>
void multiplyRest(int64_t left, int64_t inner, Left a, const float *b,
                  int64_t bRow, float *c, int64_t cRow, const float *alpha) {
  if constexpr (rows > 0) {
    if (left == rows)
      multiplyTile<rows, mode>(inner, a, b, bRow, c, cRow, alpha);
    else
      multiplyRest<rows - 1, mode>(left, inner, a, b, bRow, c, cRow, alpha);
  }
}

/// `rows` rows of kBlock lanes.
template <Mode mode>
void multiply(int64_t rows, int64_t inner, Left a, const float *b, int64_t bRow,
              float *c, int64_t cRow, const float *alpha = nullptr) {
  int64_t m = 0;
  for (; m + kTileRows <= rows; m += kTileRows)
    multiplyTile<kTileRows, mode>(inner, {a.data + m * a.row, a.row, a.column},
                                  b, bRow, c + m * cRow, cRow, alpha);
  multiplyRest<kTileRows - 1, mode>(rows - m, inner,
                                    {a.data + m * a.row, a.row, a.column}, b,
                                    bRow, c + m * cRow, cRow, alpha);
}
} // namespace

#endif // MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_PRODUCTS_H
