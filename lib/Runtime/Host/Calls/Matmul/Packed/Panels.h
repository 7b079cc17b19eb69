// Operands of 16 bits as panels of floats, which is what the micro-kernel
// reads: packing is where numbers are widened, so that it takes no pass over
// memory of its own.
// Internal to the source of an instruction set: see BlockKernels.h.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_PACKED_PANELS_H
#define MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_PACKED_PANELS_H

#include "../../Vectors/Halves.h"
#include "../../Vectors/MultiplyRows.h"
#include "Block.h"

namespace {
using namespace mpc::runtime::packed;

inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
inline int64_t roundUp(int64_t a, int64_t b) { return (a + b - 1) / b * b; }

/// What is packed at a time: a panel of the left matrix fits the second-level
/// cache, and kBlock columns of a panel of the right one the first.
constexpr int64_t kLeftRows = 96, kRightColumns = 1024, kInner = 256;
static_assert(kLeftRows % kTileRows == 0 && kRightColumns % kBlock == 0);
/// Between rows of the left panel, lest they fall together in the cache.
constexpr int64_t kGap = 16;

struct Single {
  using Stored = float;
  static Floats read(const float *from) { return load(from); }
  static float readOne(float number) { return number; }
};
struct Half {
  using Stored = uint16_t;
  static Floats read(const uint16_t *from) { return widenHalfs(from); }
  static float readOne(uint16_t half) { return _cvtsh_ss(half); }
};
struct BFloat {
  using Stored = uint16_t;
  static Floats read(const uint16_t *from) { return widenBFloats(from); }
  static float readOne(uint16_t half) { return widenBFloat(half); }
};

template <typename Type>
const typename Type::Stored *at(const Matrix &matrix, int64_t i, int64_t j) {
  return static_cast<const typename Type::Stored *>(matrix.data) +
         i * matrix.row + j * matrix.column;
}

/// `count` numbers at a distance of `step`.
template <typename Type>
void widenRow(const typename Type::Stored *from, int64_t step, int64_t count,
              float *to) {
  int64_t i = 0;
  for (; step == 1 && i + kLanes <= count; i += kLanes)
    store(to + i, Type::read(from + i));
  for (; i < count; ++i)
    to[i] = Type::readOne(from[i * step]);
}

/// Rows [row, row + rows) of columns [k, k + inner): the side that lies dense
/// stays so.
template <typename Type>
Left packLeft(const Matrix &left, int64_t row, int64_t rows, int64_t k,
              int64_t inner, float *to) {
  auto *bytes = reinterpret_cast<const char *>(to);
  if (left.row == 1 && left.column != 1) {
    int64_t stride = roundUp(rows, kLanes);
    for (int64_t i = 0; i < inner; ++i)
      widenRow<Type>(at<Type>(left, row, k + i), 1, rows, to + i * stride);
    return {bytes, 4, 4 * stride};
  }
  int64_t stride = inner + kGap;
  for (int64_t i = 0; i < rows; ++i)
    widenRow<Type>(at<Type>(left, row + i, k), left.column, inner,
                   to + i * stride);
  return {bytes, 4 * stride, 4};
}

/// kBlock columns from `column` on, or `count` and zeros.
template <typename Type>
void packColumns(const Matrix &right, int64_t k, int64_t inner, int64_t column,
                 int64_t count, float *to) {
  for (int64_t i = 0; i < inner; ++i, to += kBlock) {
    widenRow<Type>(at<Type>(right, k + i, column), right.column, count, to);
    for (int64_t j = count; j < kBlock; ++j)
      to[j] = 0;
  }
}

/// The same, of whole ones that lie dense along k.
template <typename Type>
void turnColumns(const Matrix &right, int64_t k, int64_t inner, int64_t column,
                 float *to) {
  int64_t i = 0;
  for (; i + kLanes <= inner; i += kLanes)
    for (int64_t v = 0; v < kVectors; ++v) {
      Ints square[kLanes];
      for (int64_t j = 0; j < kLanes; ++j)
        square[j] =
            toBits(Type::read(at<Type>(right, k + i, column + v * kLanes + j)));
      transpose(square);
      for (int64_t j = 0; j < kLanes; ++j)
        store(to + (i + j) * kBlock + v * kLanes, fromBits(square[j]));
    }
  packColumns<Type>(right, k + i, inner - i, column, kBlock, to + i * kBlock);
}

/// Rows [k, k + inner) of columns [column, column + columns), kBlock columns
/// after each other. Two at a time where rows lie dense: then each line of the
/// cache is read once.
template <typename Type>
void packRight(const Matrix &right, int64_t k, int64_t inner, int64_t column,
               int64_t columns, float *to) {
  int64_t j = 0;
  for (; right.column == 1 && j + 2 * kBlock <= columns; j += 2 * kBlock) {
    float *first = to + j * inner, *second = first + kBlock * inner;
    for (int64_t i = 0; i < inner; ++i) {
      const typename Type::Stored *from = at<Type>(right, k + i, column + j);
      for (int64_t v = 0; v < kBlock; v += kLanes) {
        store(first + i * kBlock + v, Type::read(from + v));
        store(second + i * kBlock + v, Type::read(from + kBlock + v));
      }
    }
  }
  bool turns = right.row == 1 && right.column != 1;
  for (; j < columns; j += kBlock)
    if (turns && columns - j >= kBlock)
      turnColumns<Type>(right, k, inner, column + j, to + j * inner);
    else
      packColumns<Type>(right, k, inner, column + j,
                        smaller(kBlock, columns - j), to + j * inner);
}
} // namespace

#endif // MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_PACKED_PANELS_H
