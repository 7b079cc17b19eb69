// The first GPU of this machine.
#ifndef MPC_KERNELS_DRIVER_CUDADEVICE_H
#define MPC_KERNELS_DRIVER_CUDADEVICE_H

#include "kernels/driver/Device.h"
#include <cuda_runtime_api.h>
#include <string>

namespace mpc::kernels {

/// Ok, or "cudaMalloc: out of memory".
Status statusOf(cudaError_t error, const char *call);

class CudaDevice final : public Device {
public:
  /// DeviceUnsupported if there is no GPU or no driver for it: says why.
  static Result<CudaDevice> open();
  CudaDevice(CudaDevice &&) noexcept;
  ~CudaDevice() override;

  const std::string &name() const { return cardName; }
  cudaStream_t stream() const { return queue; }

  uint32_t multiprocessors() const override { return count; }
  /// Memory that holds anything.
  Result<void *> allocate(size_t bytes);
  Result<void *> upload(std::span<const uint8_t> bytes) override;
  Status write(void *to, std::span<const uint8_t> bytes) override;
  Status run(Launch &launch) override;
  Status run(AttentionLaunch &launch) override;
  /// The shared memory that it takes.
  Status allow(const AttentionLaunch &launch);
  Status download(const void *from, std::span<uint8_t> bytes) override;
  void clear() override;

private:
  CudaDevice() = default;
  std::string cardName;
  uint32_t count = 0;
  cudaStream_t queue = nullptr;
  std::vector<void *> blocks;
};

} // namespace mpc::kernels

#endif // MPC_KERNELS_DRIVER_CUDADEVICE_H
