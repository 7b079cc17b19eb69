// Operands as panels of floats, which is what the micro-kernel reads. Packing
// is where 16 bits are widened, so that it takes no pass over memory of its
// own. Internal to the source of an instruction set: see BlockKernels.h.
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
constexpr bool isInPlace = std::is_same_v<Type, Single>;

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
/// stays so. Floats stay where they are.
template <typename Type>
Left packLeft(const Matrix &left, int64_t row, int64_t rows, int64_t k,
              int64_t inner, float *to) {
  auto *bytes = reinterpret_cast<const char *>(to);
  if constexpr (isInPlace<Type>)
    return {reinterpret_cast<const char *>(at<Type>(left, row, k)),
            4 * left.row, 4 * left.column};
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

/// A right panel: kBlock columns `step` floats after each other, in rows of
/// `row`. Where the last ones are fewer, zeros complete them at `last`.
struct Right {
  const float *data;
  int64_t step, row;
  const float *last;
};

/// Two times kBlock columns that lie by rows: each line of the cache is read
/// once.
template <typename Type>
void packTwice(const Matrix &right, int64_t k, int64_t inner, int64_t column,
               float *to) {
  float *second = to + kBlock * inner;
  for (int64_t i = 0; i < inner; ++i) {
    const typename Type::Stored *from = at<Type>(right, k + i, column);
    for (int64_t v = 0; v < kBlock; v += kLanes) {
      store(to + i * kBlock + v, Type::read(from + v));
      store(second + i * kBlock + v, Type::read(from + kBlock + v));
    }
  }
}

/// Rows [k, k + inner) of columns [column, column + columns). Floats that lie
/// by rows stay where they are, but for columns at the end.
template <typename Type>
Right packRight(const Matrix &right, int64_t k, int64_t inner, int64_t column,
                int64_t columns, float *to) {
  int64_t j = 0, whole = columns / kBlock * kBlock;
  Right packed = {to, kBlock * inner, kBlock, to + whole * inner};
  if constexpr (isInPlace<Type>)
    if (right.column == 1) {
      packed = {at<Type>(right, k, column), kBlock, right.row,
                to + whole * inner};
      j = whole;
    }
  for (; right.column == 1 && j + kBlock < whole; j += 2 * kBlock)
    packTwice<Type>(right, k, inner, column + j, to + j * inner);
  bool turns = right.row == 1 && right.column != 1;
  for (; j < columns; j += kBlock)
    if (turns && j < whole)
      turnColumns<Type>(right, k, inner, column + j, to + j * inner);
    else
      packColumns<Type>(right, k, inner, column + j,
                        smaller(kBlock, columns - j), to + j * inner);
  return packed;
}
} // namespace

#endif // MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_PACKED_PANELS_H
