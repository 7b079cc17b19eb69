// The kernels of products in floats, for vectors of kLanes. Included by one
// source per instruction set, as Vectors.h says.
//
// A right panel is packed, and each left one that meets it; the micro-kernel
// goes over both, kTileRows by kBlock sums in registers. (Goto and van de
// Geijn, 2008.) Every sum adds its products in the order of k, kInner at a time
// from zero: so neither blocks nor panels change a bit, and chains of additions
// are short.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_PACKED_BLOCKKERNELS_H
#define MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_PACKED_BLOCKKERNELS_H

#include "Finish.h"

namespace {
inline Floats multiplyAdd(Ints left, Ints right, Floats sum) {
  return fromBits(left) * fromBits(right) + sum;
}

/// Where sums are while they grow: `columns` of a row may be written.
struct Sums {
  float *data;
  int64_t row, columns;
};

/// A left panel of `rows` times a right one.
[[gnu::noinline]] void multiplyPanels(Mode mode, Left left, int64_t rows,
                                      int64_t inner, const Right &right,
                                      Sums sums) {
  auto words = [](const float *data) {
    return reinterpret_cast<const Word *>(data);
  };
  int64_t j = 0;
  for (; j + kBlock <= sums.columns; j += kBlock)
    multiplyByVectors(mode, rows, inner, left,
                      words(right.data + j / kBlock * right.step), right.row,
                      sums.data + j, sums.row);
  if (j == sums.columns)
    return;
  float edge[kLeftRows * kBlock];
  multiplyByVectors(Mode::Set, rows, inner, left, words(right.last), kBlock,
                    edge, kBlock);
  for (int64_t i = 0; i < rows; ++i)
    MPC_PLAIN_LOOP
  for (int64_t v = 0; v < sums.columns - j; ++v) {
    float &sum = sums.data[i * sums.row + j + v];
    sum = (mode == Mode::Add ? sum : 0) + edge[i * kBlock + v];
  }
}

/// Of parts that are as even as they can be.
inline int64_t divide(int64_t length, int64_t most, int64_t unit) {
  int64_t parts = (length + most - 1) / most;
  return roundUp((length + parts - 1) / parts, unit);
}

/// What lies in the memory of a block, in this order.
struct Scratch {
  Scratch(int64_t rows, int64_t columns, int64_t inner, Number resultType)
      : inner(divide(inner, kInner, kLanes)),
        columns(divide(columns, kRightColumns, kBlock)),
        left(smaller(roundUp(rows, kLanes), kLeftRows) * (this->inner + kGap)),
        right(this->columns * this->inner),
        sums(resultType == Number::F32 ? 0 : rows * (this->columns + kGap)) {}
  int64_t count() const { return left + right + columns + sums; }

  int64_t inner, columns; ///< of a panel
  int64_t left, right, sums;
};

/// A block of fewer columns may have wider panels: 1056 are two of 528, 1024
/// are one.
inline int64_t countScratch(int64_t rows, int64_t columns, int64_t inner,
                            Number resultType) {
  return Scratch(rows, smaller(columns, kRightColumns), inner, resultType)
      .count();
}

inline void multiply(const Block &block, float *left) {
  Scratch scratch(block.rows, block.columns, block.inner, block.resultType);
  float *right = left + scratch.left, *bias = right + scratch.right;
  for (int64_t j = 0; j < block.columns; j += scratch.columns) {
    int64_t columns = smaller(scratch.columns, block.columns - j);
    Sums sums = {bias + scratch.columns, scratch.columns + kGap,
                 roundUp(columns, kBlock)};
    if (block.resultType == Number::F32)
      sums = {static_cast<float *>(block.result) + j, block.resultRow, columns};
    for (int64_t k = 0; k < block.inner; k += scratch.inner) {
      int64_t inner = smaller(scratch.inner, block.inner - k);
      Right panel = packRight(block.operandType, block.right, k, inner, j,
                              columns, right);
      for (int64_t i = 0; i < block.rows; i += kLeftRows) {
        int64_t rows = smaller(kLeftRows, block.rows - i);
        multiplyPanels(
            k == 0 ? Mode::Set : Mode::Add,
            packLeft(block.operandType, block.left, i, rows, k, inner, left),
            rows, inner, panel,
            {sums.data + i * sums.row, sums.row, sums.columns});
      }
    }
    if (block.resultType != Number::F32 || block.bias ||
        block.function != Function::None)
      finish(block, j, columns, sums.data, sums.row, bias);
  }
}

inline void widenAll(Number type, const void *from, int64_t count, float *to) {
  widenRow(type, from, 1, count, to);
}

inline void roundAll(Number type, const float *from, int64_t count, void *to) {
  Block row = {};
  row.resultType = type;
  finishRow(row, count, from, nullptr, static_cast<char *>(to));
}
} // namespace

#endif // MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_PACKED_BLOCKKERNELS_H
