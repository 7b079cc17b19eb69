// The device that calls of a thread are about.
#ifndef MPC_LIB_RUNTIME_CUDA_API_CURRENTDEVICE_H
#define MPC_LIB_RUNTIME_CUDA_API_CURRENTDEVICE_H

#include "CudaApi.h"

namespace mpc::runtime {

/// Makes a device the current one of this thread while it lives: an
/// application may use another.
class CurrentDevice {
public:
  CurrentDevice(const CudaApi &api, int device);
  ~CurrentDevice();
  CurrentDevice(const CurrentDevice &) = delete;
  CurrentDevice &operator=(const CurrentDevice &) = delete;
  /// Whether it is the current one.
  const Status &status() const { return failure; }

private:
  const CudaApi &api;
  int before, device;
  Status failure;
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_API_CURRENTDEVICE_H
