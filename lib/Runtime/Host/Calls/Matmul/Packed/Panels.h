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

/// Loops over what is left are rare: no vectors, no copies of their bodies.
#if defined(__clang__)
#define MPC_PLAIN_LOOP _Pragma("clang loop vectorize(disable) unroll(disable)")
#else
#define MPC_PLAIN_LOOP
#endif

constexpr int64_t countBytes(Number type) {
  return type == Number::F32 ? 4 : 2;
}

inline const void *at(Number type, const Matrix &matrix, int64_t i, int64_t j) {
  return static_cast<const char *>(matrix.data) +
         (i * matrix.row + j * matrix.column) * countBytes(type);
}

inline Floats read(Number type, const void *from) {
  auto *halves = static_cast<const uint16_t *>(from);
  return type == Number::F32   ? load(static_cast<const float *>(from))
         : type == Number::F16 ? widenHalfs(halves)
                               : widenBFloats(halves);
}
inline float readOne(Number type, const void *from, int64_t index) {
  auto *halves = static_cast<const uint16_t *>(from);
  return type == Number::F32   ? static_cast<const float *>(from)[index]
         : type == Number::F16 ? _cvtsh_ss(halves[index])
                               : widenBFloat(halves[index]);
}

/// Calls `work` with the type as a constant.
template <typename Work> void withType(Number type, const Work &work) {
  if (type == Number::F32)
    work(std::integral_constant<Number, Number::F32>());
  else if (type == Number::F16)
    work(std::integral_constant<Number, Number::F16>());
  else
    work(std::integral_constant<Number, Number::BF16>());
}

/// `count` numbers at a distance of `step`.
[[gnu::noinline]] void widenRow(Number type, const void *from, int64_t step,
                                int64_t count, float *to) {
  int64_t i = 0;
  if (step == 1)
    withType(type, [&](auto type) {
      for (; i + kLanes <= count; i += kLanes)
        store(to + i, read(type, static_cast<const char *>(from) +
                                     i * countBytes(type)));
    });
  MPC_PLAIN_LOOP
  for (; i < count; ++i)
    to[i] = readOne(type, from, i * step);
}

/// Rows [row, row + rows) of columns [k, k + inner): the side that lies dense
/// stays so. Floats stay where they are, if they may.
inline Left packLeft(Number type, const Matrix &left, int64_t row, int64_t rows,
                     int64_t k, int64_t inner, float *to) {
  auto *bytes = reinterpret_cast<const char *>(to);
  if (type == Number::F32 && !left.isPacked)
    return {static_cast<const char *>(at(type, left, row, k)), 4 * left.row,
            4 * left.column};
  if (left.row == 1 && left.column != 1) {
    int64_t stride = roundUp(rows, kLanes);
    for (int64_t i = 0; i < inner; ++i)
      widenRow(type, at(type, left, row, k + i), 1, rows, to + i * stride);
    return {bytes, 4, 4 * stride};
  }
  int64_t stride = inner + kGap;
  for (int64_t i = 0; i < rows; ++i)
    widenRow(type, at(type, left, row + i, k), left.column, inner,
             to + i * stride);
  return {bytes, 4 * stride, 4};
}

/// A right panel: kBlock columns `step` floats after each other, in rows of
/// `row`. Where the last ones are fewer, zeros complete them at `last`.
struct Right {
  const float *data;
  int64_t step, row;
  const float *last;
};

/// kBlock columns from `column` on, or `count` and zeros.
inline void packColumns(Number type, const Matrix &right, int64_t k,
                        int64_t inner, int64_t column, int64_t count,
                        float *to) {
  for (int64_t i = 0; i < inner; ++i, to += kBlock) {
    widenRow(type, at(type, right, k + i, column), right.column, count, to);
    MPC_PLAIN_LOOP
    for (int64_t j = count; j < kBlock; ++j)
      to[j] = 0;
  }
}

/// Two times kBlock columns that lie by rows: each line of the cache is read
/// once.
[[gnu::noinline]] void packTwice(Number type, const Matrix &right, int64_t k,
                                 int64_t inner, int64_t column, float *to) {
  float *second = to + kBlock * inner;
  withType(type, [&](auto type) {
#if defined(__clang__)
#pragma clang loop unroll(disable)
#endif
    for (int64_t i = 0; i < inner; ++i) {
      auto *from = static_cast<const char *>(at(type, right, k + i, column));
      for (int64_t v = 0; v < kBlock; v += kLanes) {
        store(to + i * kBlock + v, read(type, from + v * countBytes(type)));
        store(second + i * kBlock + v,
              read(type, from + (kBlock + v) * countBytes(type)));
      }
    }
  });
}

/// kBlock columns that lie dense along k.
[[gnu::noinline]] void turnColumns(Number type, const Matrix &right, int64_t k,
                                   int64_t inner, int64_t column, float *to) {
  constexpr int64_t length = 64;
  float rows[kLanes][length + kGap];
  for (int64_t i = 0; i < inner; i += length)
    for (int64_t v = 0; v < kBlock; v += kLanes) {
      int64_t count = smaller(length, inner - i);
      const float *lines[kLanes];
      for (int64_t j = 0; j < kLanes; ++j) {
        const void *from = at(type, right, k + i, column + v + j);
        lines[j] = static_cast<const float *>(from);
        if (type == Number::F32 && count % kLanes == 0)
          continue;
        lines[j] = rows[j];
        store(rows[j] + (count - 1) / kLanes * kLanes, Floats{});
        widenRow(type, from, 1, count, rows[j]);
      }
      for (int64_t c = 0; c < count; c += kLanes) {
        Ints square[kLanes];
        for (int64_t j = 0; j < kLanes; ++j)
          square[j] = toBits(load(lines[j] + c));
        transpose(square);
        for (int64_t j = 0; j < smaller(kLanes, count - c); ++j)
          store(to + (i + c + j) * kBlock + v, fromBits(square[j]));
      }
    }
}

/// Rows [k, k + inner) of columns [column, column + columns). Floats that lie
/// by rows stay where they are, if they may, but for columns at the end.
[[gnu::noinline]] Right packRight(Number type, const Matrix &right, int64_t k,
                                  int64_t inner, int64_t column,
                                  int64_t columns, float *to) {
  int64_t j = 0, whole = columns / kBlock * kBlock;
  Right packed = {to, kBlock * inner, kBlock, to + whole * inner};
  bool liesByRows = right.column == 1;
  if (liesByRows && type == Number::F32 && !right.isPacked) {
    packed.data = static_cast<const float *>(at(type, right, k, column));
    packed.step = kBlock;
    packed.row = right.row;
    j = whole;
  }
  for (; liesByRows && j + kBlock < whole; j += 2 * kBlock)
    packTwice(type, right, k, inner, column + j, to + j * inner);
  bool turns = right.row == 1 && !liesByRows;
  for (; j < columns; j += kBlock)
    if (turns && j < whole)
      turnColumns(type, right, k, inner, column + j, to + j * inner);
    else
      packColumns(type, right, k, inner, column + j,
                  smaller(kBlock, columns - j), to + j * inner);
  return packed;
}
} // namespace

#endif // MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_PACKED_PANELS_H
