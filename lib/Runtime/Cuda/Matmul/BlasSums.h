// Sums of a matrix as a product of their own, for where cuBLASLt has no
// algorithm that makes them on the side: the matrix times a vector of one
// repeated number, over that number.
//
// The number is the one whose bytes are all equal, since such a vector can be
// written by a fill, which a graph can hold: no memory of its own is needed.
// Not 1, but its products with 16-bit numbers are exact in f32.
#ifndef MPC_LIB_RUNTIME_CUDA_MATMUL_BLASSUMS_H
#define MPC_LIB_RUNTIME_CUDA_MATMUL_BLASSUMS_H

#include "BlasDescriptors.h"

#include <optional>

namespace mpc::runtime {

struct BlasSums {
  BlasProduct main; ///< what is left without sums
  BlasProduct sums; ///< its B is the vector
  MatmulPointers mainPointers;
  MatmulPointers sumsPointers; ///< but for lhs, the vector
  uint64_t vectorBytes;
  int fill; ///< the byte
  double alpha;
};

/// Nothing if the product makes no sums.
std::optional<BlasSums> splitSums(const BlasProduct &product,
                                  const MatmulPointers &pointers);

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_MATMUL_BLASSUMS_H
