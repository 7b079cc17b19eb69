#include "kernels/driver/CudaDevice.h"
#include <utility>

using namespace mpc;
using namespace mpc::kernels;

Status kernels::statusOf(cudaError_t error, const char *call) {
  if (error == cudaSuccess)
    return {};
  StatusCode code = error == cudaErrorMemoryAllocation ? StatusCode::OutOfMemory
                                                       : StatusCode::Internal;
  return {code, std::string(call) + ": " + cudaGetErrorString(error)};
}

Result<CudaDevice> CudaDevice::open() {
  int devices = 0;
  cudaError_t error = cudaGetDeviceCount(&devices);
  if (error == cudaSuccess && devices == 0)
    error = cudaErrorNoDevice;
  if (error != cudaSuccess)
    return Status(StatusCode::DeviceUnsupported,
                  std::string("expected an NVIDIA GPU and its driver: ") +
                      cudaGetErrorString(error));
  cudaDeviceProp properties;
  if (Status status = statusOf(cudaGetDeviceProperties(&properties, 0),
                               "cudaGetDeviceProperties");
      !status.ok())
    return status;
  CudaDevice device;
  device.cardName = properties.name;
  device.count = uint32_t(properties.multiProcessorCount);
  if (Status status =
          statusOf(cudaStreamCreate(&device.queue), "cudaStreamCreate");
      !status.ok())
    return status;
  return device;
}

CudaDevice::CudaDevice(CudaDevice &&other) noexcept
    : cardName(std::move(other.cardName)), count(other.count),
      queue(std::exchange(other.queue, nullptr)),
      blocks(std::exchange(other.blocks, {})) {}

CudaDevice::~CudaDevice() {
  clear();
  if (queue)
    cudaStreamDestroy(queue);
}

void CudaDevice::clear() {
  for (void *block : std::exchange(blocks, {}))
    cudaFree(block);
}

Result<void *> CudaDevice::allocate(size_t bytes) {
  void *memory = nullptr;
  Status status =
      statusOf(cudaMalloc(&memory, bytes ? bytes : 1), "cudaMalloc");
  if (!status.ok())
    return status;
  blocks.push_back(memory);
  return memory;
}

Result<void *> CudaDevice::upload(std::span<const uint8_t> bytes) {
  Result<void *> memory = allocate(bytes.size());
  if (!memory)
    return memory;
  if (Status status = write(*memory, bytes); !status.ok())
    return status;
  return memory;
}

Status CudaDevice::write(void *to, std::span<const uint8_t> bytes) {
  return statusOf(
      cudaMemcpy(to, bytes.data(), bytes.size(), cudaMemcpyHostToDevice),
      "cudaMemcpy");
}

Status CudaDevice::run(Launch &launch) {
  Status status =
      statusOf(cudaLaunchKernel(launch.function, launch.grid, launch.block,
                                launch.kernelParameters(), 0, queue),
               "cudaLaunchKernel");
  if (!status.ok())
    return status;
  return statusOf(cudaStreamSynchronize(queue), "cudaStreamSynchronize");
}

Status CudaDevice::allow(const AttentionLaunch &launch) {
  return statusOf(
      cudaFuncSetAttribute(launch.function,
                           cudaFuncAttributeMaxDynamicSharedMemorySize,
                           static_cast<int>(launch.sharedBytes)),
      "cudaFuncSetAttribute");
}

Status CudaDevice::run(AttentionLaunch &launch) {
  if (Status status = allow(launch); !status.ok())
    return status;
  if (Status status =
          statusOf(cudaLaunchKernel(launch.function, launch.grid, launch.block,
                                    launch.kernelParameters(),
                                    launch.sharedBytes, queue),
                   "cudaLaunchKernel");
      !status.ok())
    return status;
  return statusOf(cudaStreamSynchronize(queue), "cudaStreamSynchronize");
}

Status CudaDevice::download(const void *from, std::span<uint8_t> bytes) {
  return statusOf(
      cudaMemcpy(bytes.data(), from, bytes.size(), cudaMemcpyDeviceToHost),
      "cudaMemcpy");
}
