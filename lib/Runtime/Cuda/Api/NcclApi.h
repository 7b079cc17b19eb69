// The functions of NCCL that collectives call, as a table (see CudaApi.h). The
// real one is opened when a program that has collectives runs in several ranks.
#ifndef MPC_LIB_RUNTIME_CUDA_API_NCCLAPI_H
#define MPC_LIB_RUNTIME_CUDA_API_NCCLAPI_H

// Before nccl.h, which brings C++ overloads of some of its functions.
#include "CudaApi.h"

#include <nccl.h>

namespace mpc::runtime {

// clang-format off
#define MPC_NCCL_FUNCTIONS(X)                                                  \
  X(ncclGetVersion) X(ncclGetErrorString) X(ncclGetLastError)                  \
  X(ncclGetUniqueId) X(ncclCommInitRankConfig) X(ncclCommGetAsyncError)        \
  X(ncclCommFinalize) X(ncclCommDestroy) X(ncclCommAbort)                      \
  X(ncclCommCount) X(ncclCommUserRank)                                         \
  X(ncclGroupStart) X(ncclGroupEnd) X(ncclAllReduce)
// Since NCCL 2.28; null in older ones.
#define MPC_NCCL_OPTIONAL_FUNCTIONS(X) X(ncclCommRevoke)
// clang-format on

struct NcclApi {
#define MPC_MEMBER(name) decltype(&::name) name = nullptr;
  MPC_NCCL_FUNCTIONS(MPC_MEMBER)
  MPC_NCCL_OPTIONAL_FUNCTIONS(MPC_MEMBER)
#undef MPC_MEMBER
};

/// Opens libnccl.so.2 once per process; LibrarySearch says where it is looked
/// for. Fails with the places, and what the loader said.
Result<const NcclApi *> openNccl();

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_API_NCCLAPI_H
