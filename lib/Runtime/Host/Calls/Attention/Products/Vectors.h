// The micro-kernel by vectors.
// Internal to the source of an instruction set: see HeadKernels.h.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_PRODUCTS_VECTORS_H
#define MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_PRODUCTS_VECTORS_H

#include "Products.h"

namespace {
struct VectorUnit {
  VectorUnit() {} // vectors are always on

  static int64_t countColumnWords(int64_t count, int64_t width) {
    return ::countColumnWords(count, width);
  }
  static Left viewColumns(Left rows, int64_t count, int64_t width,
                          Word *buffer) {
    return ::viewColumns(rows, count, width, buffer);
  }

  template <Mode mode>
  void multiply(int64_t rows, int64_t inner, Left a, const Word *b,
                int64_t bRow, float *c, int64_t cRow,
                const float *alpha = nullptr) const {
    multiplyByVectors(mode, rows, inner, a, b, bRow, c, cRow, alpha);
  }
};
} // namespace

#endif // MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_PRODUCTS_VECTORS_H
