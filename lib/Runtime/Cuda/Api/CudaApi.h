// The functions of cudart that the plug-in calls, as a table. All calls go
// through it, so that tests can put a recorder, or a device made of host code,
// in cudart's place. The real one is linked statically: the plug-in loads on a
// machine without CUDA, and the first call says what is missing.
#ifndef MPC_LIB_RUNTIME_CUDA_API_CUDAAPI_H
#define MPC_LIB_RUNTIME_CUDA_API_CUDAAPI_H

#include "mpc/Support/Status.h"

#include <cuda_runtime_api.h>

static_assert(CUDART_VERSION >= 13000, "expected CUDA 13.0 or newer");

namespace mpc::runtime {

// clang-format off
#define MPC_CUDART_FUNCTIONS(X)                                                \
  X(cudaDriverGetVersion) X(cudaRuntimeGetVersion)                             \
  X(cudaGetDeviceCount) X(cudaGetDevice) X(cudaSetDevice)                      \
  X(cudaGetDeviceProperties) X(cudaDeviceGetAttribute)                         \
  X(cudaMalloc) X(cudaFree) X(cudaHostAlloc) X(cudaFreeHost)                   \
  X(cudaStreamCreateWithFlags) X(cudaStreamCreateWithPriority)                 \
  X(cudaDeviceGetStreamPriorityRange)                                          \
  X(cudaStreamDestroy) X(cudaStreamSynchronize) X(cudaStreamWaitEvent)         \
  X(cudaEventCreateWithFlags) X(cudaEventDestroy) X(cudaEventRecord)           \
  X(cudaEventQuery) X(cudaEventSynchronize) X(cudaEventElapsedTime)            \
  X(cudaMemcpyAsync) X(cudaMemsetAsync)                                        \
  X(cudaLibraryLoadData) X(cudaLibraryUnload) X(cudaLibraryGetKernel)          \
  X(cudaKernelSetAttributeForDevice)                                           \
  X(cudaFuncGetAttributes) X(cudaFuncSetAttribute)                             \
  X(cudaLaunchKernelExC)                                                       \
  X(cudaGraphDestroy) X(cudaGraphAddKernelNode)                                \
  X(cudaGraphAddMemcpyNode1D) X(cudaGraphAddMemsetNode)                        \
  X(cudaStreamBeginCapture) X(cudaStreamGetCaptureInfo)                        \
  X(cudaStreamUpdateCaptureDependencies) X(cudaStreamEndCapture)               \
  X(cudaGraphInstantiate) X(cudaGraphUpload) X(cudaGraphLaunch)                \
  X(cudaGraphExecDestroy)                                                      \
  X(cudaGetErrorName) X(cudaGetErrorString)
// clang-format on

struct CudaApi {
#define MPC_MEMBER(name) decltype(&::name) name = nullptr;
  MPC_CUDART_FUNCTIONS(MPC_MEMBER)
#undef MPC_MEMBER
};

/// cudart itself.
const CudaApi &getCudaApi();

/// "cudaMalloc: cudaErrorMemoryAllocation (2), out of memory". OutOfMemory for
/// that one, DeviceUnsupported where driver or device is missing or too old,
/// else DeviceFailed.
Status makeStatus(const CudaApi &api, cudaError_t error, std::string_view what);

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_API_CUDAAPI_H
