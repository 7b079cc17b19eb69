// The functions of cuBLASLt that matrix products call, as a table (see
// CudaApi.h). The real one is opened when a program has products.
#ifndef MPC_LIB_RUNTIME_CUDA_API_CUBLASLTAPI_H
#define MPC_LIB_RUNTIME_CUDA_API_CUBLASLTAPI_H

#include "mpc/Support/Status.h"

#include <cublasLt.h>

namespace mpc::runtime {

// clang-format off
#define MPC_CUBLASLT_FUNCTIONS(X)                                              \
  X(cublasLtGetVersion) X(cublasLtGetStatusName) X(cublasLtGetStatusString)    \
  X(cublasLtCreate) X(cublasLtDestroy)                                         \
  X(cublasLtMatmulDescCreate) X(cublasLtMatmulDescDestroy)                     \
  X(cublasLtMatmulDescSetAttribute)                                            \
  X(cublasLtMatrixLayoutCreate) X(cublasLtMatrixLayoutDestroy)                 \
  X(cublasLtMatrixLayoutSetAttribute)                                          \
  X(cublasLtMatmulPreferenceCreate) X(cublasLtMatmulPreferenceDestroy)         \
  X(cublasLtMatmulPreferenceSetAttribute)                                      \
  X(cublasLtMatmulAlgoGetHeuristic) X(cublasLtMatmulAlgoCheck)                 \
  X(cublasLtMatmul)
// clang-format on

struct CublasLtApi {
#define MPC_MEMBER(name) decltype(&::name) name = nullptr;
  MPC_CUBLASLT_FUNCTIONS(MPC_MEMBER)
#undef MPC_MEMBER
};

/// Opens libcublasLt.so.13 once per process; LibrarySearch says where it is
/// looked for. Fails with the places, and what the loader said.
Result<const CublasLtApi *> openCublasLt();

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_API_CUBLASLTAPI_H
