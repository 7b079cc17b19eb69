// Where kernels are checked: a GPU (CudaDevice.h), or the emulation of one
// (test/Kernels).
#ifndef MPC_KERNELS_DRIVER_DEVICE_H
#define MPC_KERNELS_DRIVER_DEVICE_H

#include "kernels/Attention/Attention.h"
#include "kernels/MultiTensor.h"

namespace mpc::kernels {

class Device {
public:
  virtual ~Device() = default;
  virtual uint32_t multiprocessors() const = 0;
  /// New memory with these bytes, aligned to 256; lives as long as the device
  /// or until `clear`.
  virtual Result<void *> upload(std::span<const uint8_t> bytes) = 0;
  virtual Status write(void *to, std::span<const uint8_t> bytes) = 0;
  /// Runs a planned operation to its end.
  virtual Status run(Launch &launch) = 0;
  virtual Status run(AttentionLaunch &launch) = 0;
  virtual Status download(const void *from, std::span<uint8_t> bytes) = 0;
  /// Gives all memory back.
  virtual void clear() = 0;
};

} // namespace mpc::kernels

#endif // MPC_KERNELS_DRIVER_DEVICE_H
