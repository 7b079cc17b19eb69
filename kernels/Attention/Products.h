// Products of a warp, of 16 rows by 8 columns at a time, summed in f32. Lane
// 4 g + t has of each such square the elements (g, 2t), (g, 2t + 1), (g + 8,
// 2t) and (g + 8, 2t + 1), in that order. Private to this room.
//
// f32 is multiplied as TF32 in three parts: x = high + low, each of 11 bits,
// and x y is about high high + high low + low high, which lacks 2^-22 of it.
#ifndef MPC_KERNELS_ATTENTION_PRODUCTS_H
#define MPC_KERNELS_ATTENTION_PRODUCTS_H

#include "kernels/Attention/Tiles.h"

namespace mpc::kernels {

/// A lane's part of an operand: four words of the left one, two of the right.
template <typename T, int Words> struct Part {
  uint32_t words[Words];
};
template <int Words> struct Part<float, Words> {
  uint32_t high[Words], low[Words];
};

template <typename T, int Words>
__device__ inline void take(Part<T, Words> &part, int at, uint32_t word) {
  part.words[at] = word;
}
template <int Words>
__device__ inline void take(Part<float, Words> &part, int at, uint32_t word) {
  float value = fromBits(word), high = roundToTf32(value);
  part.high[at] = toBits(high);
  part.low[at] = toBits(roundToTf32(value - high));
}

__device__ inline void multiply(float (&c)[4], const Part<Half, 4> &a,
                                const Part<Half, 2> &b) {
  multiplyHalf(c, a.words, b.words);
}
__device__ inline void multiply(float (&c)[4], const Part<BFloat, 4> &a,
                                const Part<BFloat, 2> &b) {
  multiplyBFloat(c, a.words, b.words);
}
__device__ inline void multiply(float (&c)[4], const Part<float, 4> &a,
                                const Part<float, 2> &b) {
  multiplyTf32(c, a.low, b.high);
  multiplyTf32(c, a.high, b.low);
  multiplyTf32(c, a.high, b.high);
}

/// c += a b as one of many terms. Tensor cores cut off what does not fit (Fasi
/// et al., Numerical behavior of NVIDIA tensor cores, 2021), always towards 0,
/// which f32 would show: there they sum the products of one step only.
template <typename T>
__device__ inline void addProduct(float (&c)[4], const Part<T, 4> &a,
                                  const Part<T, 2> &b) {
  if constexpr (sizeof(T) == 2) {
    multiply(c, a, b);
  } else {
    float products[4] = {};
    multiply(products, a, b);
#pragma unroll
    for (int e = 0; e < 4; ++e)
      c[e] += products[e];
  }
}

/// A step along the contracted dim: two chunks of a row.
template <typename T> constexpr int kDepth = 32 / sizeof(T);

/// Rows `row` to `row` + 15, step number `step`.
template <typename T, int Width>
__device__ inline Part<T, 4> loadLeft(const Tile<T, Width> &tile, int row,
                                      int step) {
  int lane = threadIdx.x % 32, matrix = lane / 8;
  uint32_t words[4];
  loadMatrices(words, tile.chunk(row + lane % 8 + 8 * (matrix % 2),
                                 2 * step + matrix / 2));
  Part<T, 4> part;
#pragma unroll
  for (int i = 0; i < 4; ++i)
    take(part, i, words[i]);
  return part;
}

/// Two right operands, whose columns are rows `row` to `row` + 15 of the tile.
template <typename T, int Width>
__device__ inline void loadRows(Part<T, 2> (&parts)[2],
                                const Tile<T, Width> &tile, int row, int step) {
  int lane = threadIdx.x % 32, matrix = lane / 8;
  uint32_t words[4];
  loadMatrices(words, tile.chunk(row + lane % 8 + 8 * (matrix / 2),
                                 2 * step + matrix % 2));
#pragma unroll
  for (int i = 0; i < 4; ++i)
    take(parts[i / 2], i % 2, words[i]);
}

/// Two right operands, whose columns are columns `column` to `column` + 15 of
/// the tile; contracted is along its rows, from number step * kDepth on.
template <typename T, int Width>
__device__ inline void loadColumns(Part<T, 2> (&parts)[2],
                                   const Tile<T, Width> &tile, int step,
                                   int column) {
  int lane = threadIdx.x % 32, matrix = lane / 8;
  uint32_t words[4];
  loadTransposed(words,
                 tile.chunk(step * kDepth<T> + lane % 8 + 8 * (matrix % 2),
                            column / Tile<T, Width>::kChunk + matrix / 2));
#pragma unroll
  for (int i = 0; i < 4; ++i)
    take(parts[i / 2], i % 2, words[i]);
}
/// The order along the contracted dim is that of `asLeft`.
template <int Width>
__device__ inline void loadColumns(Part<float, 2> (&parts)[2],
                                   const Tile<float, Width> &tile, int step,
                                   int column) {
  int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    // As `chunk`: but for bits that a column changes, one place for all
    // columns, or their addresses would not fit in the registers.
    using Own = Tile<float, Width>;
    int row = 2 * t + i % 2, number = column / Own::kChunk + 2 * (i / 2);
    int place = row * Own::kRowBytes + ((g / 4 ^ row) * 16) + g % 4 * 4;
    place = (place ^ number % 8 * 16) + number / 8 * 128;
    place += step * 8 * Own::kRowBytes;
    take(parts[i / 2], i % 2,
         *reinterpret_cast<const uint32_t *>(tile.memory + place));
  }
}

/// Two 16-bit numbers, the first one low.
template <typename T>
__device__ inline uint32_t join(float first, float second) {
  return uint32_t(narrow<T>(first).bits) | uint32_t(narrow<T>(second).bits)
                                               << 16;
}

/// What was summed as a left operand, rounded to T: step number `step`.
template <typename T, int Squares>
__device__ inline void asLeft(Part<T, 4> &part, const float (&c)[Squares][4],
                              int step) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float (&square)[4] = c[2 * step + i / 2];
    part.words[i] = join<T>(square[2 * (i % 2)], square[2 * (i % 2) + 1]);
  }
}
/// Columns 2t and 2t + 1 of a square stand for t and t + 4.
template <int Squares>
__device__ inline void asLeft(Part<float, 4> &part,
                              const float (&c)[Squares][4], int step) {
#pragma unroll
  for (int i = 0; i < 4; ++i)
    take(part, i, toBits(c[step][2 * (i % 2) + i / 2]));
}

template <int Rows, int Squares>
__device__ inline void clear(float (&c)[Rows][Squares][4]) {
#pragma unroll
  for (int m = 0; m < Rows; ++m)
#pragma unroll
    for (int n = 0; n < Squares; ++n)
#pragma unroll
      for (int e = 0; e < 4; ++e)
        c[m][n][e] = 0;
}

/// c += left right^T, of the rows of `left` from `row` on, 16 Rows of them, and
/// the first 8 Squares rows of `right`.
template <int Rows, int Squares, typename T, int Width>
__device__ inline void multiplyRows(float (&c)[Rows][Squares][4],
                                    const Tile<T, Width> &left, int row,
                                    const Tile<T, Width> &right) {
#pragma unroll 4 // all of them would be loaded ahead, into registers
  for (int step = 0; step < Width / kDepth<T>; ++step) {
    Part<T, 4> a[Rows];
#pragma unroll
    for (int m = 0; m < Rows; ++m)
      a[m] = loadLeft(left, row + 16 * m, step);
#pragma unroll
    for (int n = 0; n < Squares; n += 2) {
      Part<T, 2> b[2];
      loadRows(b, right, 8 * n, step);
#pragma unroll
      for (int m = 0; m < Rows; ++m)
#pragma unroll
        for (int i = 0; i < 2; ++i)
          addProduct(c[m][n + i], a[m], b[i]);
    }
  }
}

/// c += weights right, of the first 8 Squares rows of `right`.
template <int Rows, int Squares, typename T, int Width>
__device__ inline void multiplyColumns(float (&c)[Rows][Width / 8][4],
                                       const float (&weights)[Rows][Squares][4],
                                       const Tile<T, Width> &right) {
#pragma unroll
  for (int step = 0; step < 8 * Squares / kDepth<T>; ++step) {
    Part<T, 4> a[Rows];
#pragma unroll
    for (int m = 0; m < Rows; ++m)
      asLeft(a[m], weights[m], step);
#pragma unroll
    for (int n = 0; n < Width / 8; n += 2) {
      Part<T, 2> b[2];
      loadColumns(b, right, step, 8 * n);
#pragma unroll
      for (int m = 0; m < Rows; ++m)
#pragma unroll
        for (int i = 0; i < 2; ++i)
          addProduct(c[m][n + i], a[m], b[i]);
    }
  }
}

/// Two neighbours of a row of results, from an even column on.
template <typename T>
__device__ inline void storePair(const Head<T> &head, int row, int column,
                                 float first, float second) {
  T *at = head.row(row) + column;
  if constexpr (sizeof(T) == 2)
    if (head.aligned && column + 1 < head.width) {
      *reinterpret_cast<uint32_t *>(at) = join<T>(first, second);
      return;
    }
  if (column < head.width)
    at[0] = narrow<T>(first);
  if (column + 1 < head.width)
    at[1] = narrow<T>(second);
}

} // namespace mpc::kernels

#endif // MPC_KERNELS_ATTENTION_PRODUCTS_H
