#include "CudaApi.h"

using namespace mpc;
using namespace mpc::runtime;

const CudaApi &runtime::getCudaApi() {
  static const CudaApi api = [] {
    CudaApi made;
#define MPC_FILL(name) made.name = ::name;
    MPC_CUDART_FUNCTIONS(MPC_FILL)
#undef MPC_FILL
    return made;
  }();
  return api;
}

static StatusCode translate(cudaError_t error) {
  switch (error) {
  case cudaSuccess:
    return StatusCode::Ok;
  case cudaErrorMemoryAllocation:
    return StatusCode::OutOfMemory;
  case cudaErrorInsufficientDriver:
  case cudaErrorNoDevice:
  case cudaErrorNoKernelImageForDevice:
  case cudaErrorUnsupportedPtxVersion:
  case cudaErrorJitCompilerNotFound:
  case cudaErrorCompatNotSupportedOnDevice:
  case cudaErrorSystemDriverMismatch:
  case cudaErrorDevicesUnavailable:
  case cudaErrorStubLibrary:
    return StatusCode::DeviceUnsupported;
  default:
    return StatusCode::DeviceFailed;
  }
}

Status runtime::makeStatus(const CudaApi &api, cudaError_t error,
                           std::string_view what) {
  if (error == cudaSuccess)
    return {};
  return {translate(error), std::string(what) + ": " +
                                api.cudaGetErrorName(error) + " (" +
                                std::to_string(static_cast<int>(error)) +
                                "), " + api.cudaGetErrorString(error)};
}
