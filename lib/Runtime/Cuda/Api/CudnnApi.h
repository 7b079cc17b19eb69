// The functions of cuDNN's backend as a table (see CudaApi.h). The real one is
// opened when a program has calls that it may make.
#ifndef MPC_LIB_RUNTIME_CUDA_API_CUDNNAPI_H
#define MPC_LIB_RUNTIME_CUDA_API_CUDNNAPI_H

#include "mpc/Support/Status.h"

#include <cudnn_graph.h>

namespace mpc::runtime {

// clang-format off
#define MPC_CUDNN_FUNCTIONS(X)                                                 \
  X(cudnnGetVersion) X(cudnnGetErrorString) X(cudnnGetLastErrorString)         \
  X(cudnnCreate) X(cudnnDestroy) X(cudnnSetStream)                             \
  X(cudnnBackendCreateDescriptor) X(cudnnBackendDestroyDescriptor)             \
  X(cudnnBackendSetAttribute) X(cudnnBackendGetAttribute)                      \
  X(cudnnBackendFinalize) X(cudnnBackendExecute)
// clang-format on

struct CudnnApi {
#define MPC_MEMBER(name) decltype(&::name) name = nullptr;
  MPC_CUDNN_FUNCTIONS(MPC_MEMBER)
#undef MPC_MEMBER
};

/// Opens libcudnn.so.9 once per process; LibrarySearch says where it is looked
/// for. Fails with the places, and what the loader said.
Result<const CudnnApi *> openCudnn();

/// "cudnnBackendFinalize of a tensor: CUDNN_STATUS_BAD_PARAM, ..." with what
/// the library says of its last error on this thread. OutOfMemory where host
/// memory is, else LibraryError.
Status makeStatus(const CudnnApi &api, cudnnStatus_t status,
                  std::string_view what);

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_API_CUDNNAPI_H
