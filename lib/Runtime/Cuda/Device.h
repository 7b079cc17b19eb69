// The device that a session runs on, and which of a program's code it takes.
#ifndef MPC_LIB_RUNTIME_CUDA_DEVICE_H
#define MPC_LIB_RUNTIME_CUDA_DEVICE_H

#include "Api/CudaApi.h"
#include "mpc/Program/Program.h"

namespace mpc::runtime {

struct Device {
  int ordinal = 0; ///< as cudart counts
  std::string name;
  uint32_t major = 0, minor = 0; ///< compute capability
  uint32_t multiprocessors = 0;

  /// 90 for 9.0.
  int capability() const { return static_cast<int>(major * 10 + minor); }
};

/// Checks driver and device, and makes the device ready. DeviceUnsupported
/// says what was wanted and what was found.
Result<Device> findDevice(const CudaApi &api, uint32_t ordinal);

/// The sections of a program that `device` runs: its cubins for the same major
/// compute capability and the highest minor one that is not above; without
/// such, PTX for the highest that is not above. Code for this chip ("sm_90a")
/// or its family ("sm_100f") goes before that for all. Empty if it has no
/// kernels. DeviceUnsupported says what the program has.
Result<std::vector<const program::CodeSection *>>
chooseCode(const program::Program &program, const Device &device);

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_DEVICE_H
