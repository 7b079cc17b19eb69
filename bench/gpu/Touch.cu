#include "Touch.h"

static __global__ void touchLate(float *counter) {
  if (threadIdx.x == 0)
    *counter += 1;
}

static __global__ void touchEarly(float *counter) {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
#endif
  if (threadIdx.x == 0)
    *counter += 1;
}

cudaError_t mpc::bench::touch(float *counter, bool early, cudaStream_t stream) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1);
  config.blockDim = dim3(32);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = early ? 1 : 0;
  return cudaLaunchKernelEx(&config, early ? touchEarly : touchLate, counter);
}
