// The arithmetic behind FakeCublasLt: one call as numbers, and the loops.
#ifndef MPC_TEST_RUNTIME_CUDA_FAKEBLASMATH_H
#define MPC_TEST_RUNTIME_CUDA_FAKEBLASMATH_H

#include <cublasLt.h>

#include <cstdint>

namespace mpc::runtime::fake {

/// A column-major matrix in memory: element (r, c) of matrix i of the batch is
/// at r + c * leading + i * stride.
struct Layout {
  cudaDataType_t type = CUDA_R_32F;
  uint64_t rows = 0, columns = 0;
  int64_t leading = 0;
  int32_t batch = 1;
  int64_t stride = 0;
};

/// What a matmul descriptor holds.
struct Operation {
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  cudaDataType_t scaleType = CUDA_R_32F;
  int32_t transA = CUBLAS_OP_N, transB = CUBLAS_OP_N;
  uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  void *bias = nullptr;
  int32_t biasType = -1; ///< -1: the type of D
  int64_t biasStride = 0;
  void *aux = nullptr;
  int64_t auxLeading = 0, auxStride = 0;
  int32_t auxType = -1; ///< -1: the type of D
  const void *scaleA = nullptr, *scaleB = nullptr;
};

/// One call of cublasLtMatmul.
struct Product {
  Operation operation;
  Layout a, b, c, d;
  const void *A, *B, *C;
  void *D;
  double alpha, beta;

  uint64_t inner() const {
    return operation.transA == CUBLAS_OP_N ? a.columns : a.rows;
  }
};

double load(cudaDataType_t type, const void *base, int64_t index);
void store(cudaDataType_t type, void *base, int64_t index, double value);

/// Does it.
void multiply(const Product &product);

/// What NVIDIA's documentation says of such a call.
cublasStatus_t validate(const Operation &operation, const Layout &a,
                        const Layout &b, const Layout &c, const Layout &d,
                        int computeCapability);

} // namespace mpc::runtime::fake

#endif // MPC_TEST_RUNTIME_CUDA_FAKEBLASMATH_H
