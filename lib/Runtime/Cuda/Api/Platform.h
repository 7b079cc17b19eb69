// What the plug-in stands on. The real one is cudart and what dlopen finds;
// tests make their own.
#ifndef MPC_LIB_RUNTIME_CUDA_API_PLATFORM_H
#define MPC_LIB_RUNTIME_CUDA_API_PLATFORM_H

#include "CublasLtApi.h"
#include "CudaApi.h"
#include "CudnnApi.h"
#include "NcclApi.h"
#include "RangeMarker.h"

namespace mpc::runtime {

struct Platform {
  const CudaApi *cuda;
  /// Called when a program has products, and collectives between ranks.
  Result<const CublasLtApi *> (*openCublasLt)();
  /// Called when a program has attention that cuDNN may take.
  Result<const CudnnApi *> (*openCudnn)();
  Result<const NcclApi *> (*openNccl)();
  const RangeMarker *marker; ///< for the profiler
};

/// cudart, libcublasLt.so.13, libcudnn.so.9, libnccl.so.2 and NVTX.
const Platform &getPlatform();

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_API_PLATFORM_H
