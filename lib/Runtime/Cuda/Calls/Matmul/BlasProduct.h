// A matrix product in cuBLASLt's words, decided without cuBLASLt.
//
// Our matrices are row-major, cuBLASLt's are column-major, and a row-major
// [r, c] matrix is a column-major [c, r] one in the same memory. So instead of
// result = lhs * rhs it is asked for result' = rhs' * lhs': its A is our rhs,
// its B our lhs, its rows our columns. The other way, ORDER_ROW, has no
// epilogues for row-major results and is the less trodden path.
//
//   ours (row-major)                    cuBLASLt's
//   result [M, N]                       D: N rows, M columns, m = N, n = M
//   addend                              C, like D, with a beta of 1
//   bias                                along the rows of D: BIAS
#ifndef MPC_LIB_RUNTIME_CUDA_CALLS_MATMUL_BLASPRODUCT_H
#define MPC_LIB_RUNTIME_CUDA_CALLS_MATMUL_BLASPRODUCT_H

#include "mpc/Program/Calls/Matmul.h"

#include <cublasLt.h>

#include <vector>

namespace mpc::runtime {

/// A stored column-major matrix, and the distance to the next of the batch (0:
/// the same one for the whole batch). In elements.
struct BlasMatrix {
  cudaDataType_t type;
  int64_t rows, columns;
  int64_t leading; ///< distance of two columns
  int64_t stride;
};

/// Byte offsets of the operands of one call.
struct BlasPart {
  int64_t lhs, rhs, result; ///< aux and addend lie as the result does
};

/// One strided batch of products, called once per part.
struct BlasProduct {
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  cudaDataType_t scaleType; ///< of alpha and beta
  BlasMatrix a, b, d;       ///< our rhs, lhs and result; C lies like D
  bool transposeA, transposeB;
  int32_t batch;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  bool addend; ///< C is added: beta is 1
  bool scaled; ///< A and B have scale pointers
  std::vector<BlasPart> parts;

  /// Whether the epilogue adds a vector along the rows of D.
  bool hasBias() const;
  /// Whether it reads or writes a second matrix of the result's shape.
  bool hasAux() const;
};

struct BlasRules {
  bool allowTf32 = false;    ///< f32 products may be rounded to 10 bits
  int computeCapability = 0; ///< 90 for 9.0
};

/// Fails with InvalidProgram, saying what to do, for a product that cuBLASLt
/// has no call for: activations but gelu_tanh, auxiliary matrices other than
/// gelu's, rows of such that are no multiple of 8 elements, f8
/// operands that are not laid out as the device wants them.
Result<BlasProduct> toBlas(const program::MatmulCall &call,
                           const BlasRules &rules);

/// "64x128xf16 * 128x256xf16 (transposed) -> 64x256xf16, gelu_tanh with bias".
std::string describe(const program::MatmulCall &call);

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_CALLS_MATMUL_BLASPRODUCT_H
