// A block of a product as the kernels see it: addresses and strides, without
// any library, since the kernels are compiled for several instruction sets and
// what they would share with others must not be compiled for one of these.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_PACKED_BLOCK_H
#define MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_PACKED_BLOCK_H

#include <cstdint>

namespace mpc::runtime::packed {

enum class Number : uint8_t { F32, F16, BF16 };
enum class Function : uint8_t { None, Relu, GeluErf, GeluTanh, Tanh, Sigmoid };

/// Element (i, j) lies i * row + j * column elements further.
struct Matrix {
  const void *data;
  int64_t row, column;
  bool isPacked; ///< floats, too, which else are read where they lie
};

/// result = function(left * right + bias)
struct Block {
  int64_t rows, columns, inner;
  Number operandType;
  Matrix left, right;
  Function function;
  Number resultType; ///< of the bias, too
  const void *bias;  ///< an element for each column; null if there is none
  void *result;
  int64_t resultRow; ///< elements from one row to the next
};

struct Kernels {
  /// Floats of memory for a block: no more for one that is smaller.
  int64_t (*countScratch)(int64_t rows, int64_t columns, int64_t inner,
                          Number resultType);
  void (*multiply)(const Block &block, float *scratch);
  /// Of as many elements, one after the other: to f32, and back by rounding to
  /// the nearest, ties to even.
  void (*widen)(Number type, const void *from, int64_t count, float *to);
  void (*round)(Number type, const float *from, int64_t count, void *to);
};

/// For AVX2 with FMA and F16C, and for AVX-512.
extern const Kernels kKernelsV3, kKernelsV4;

} // namespace mpc::runtime::packed

#endif // MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_PACKED_BLOCK_H
