// The kernels of a program on a device.
#ifndef MPC_LIB_RUNTIME_CUDA_MODULES_H
#define MPC_LIB_RUNTIME_CUDA_MODULES_H

#include "Api/Handles.h"
#include "Device.h"

namespace mpc::runtime {

/// One launch of a generated kernel.
struct KernelStage {
  cudaKernel_t function;
  uint32_t grid, block, sharedBytes;
};

struct LoadedKernel {
  std::vector<KernelStage> stages;
  uint64_t workspaceBytes = 0;
};

class Modules {
public:
  /// Loads the sections that suit `device` and finds every kernel.
  static Result<Modules> load(const CudaApi &api,
                              const program::Program &program,
                              const Device &device);
  /// By kernel number.
  const LoadedKernel &kernel(uint32_t index) const { return kernels[index]; }
  /// The largest over the kernels; they run one at a time.
  uint64_t workspaceBytes() const;
  /// "sm_90 (cubin)"; empty if there are no kernels.
  const std::string &target() const { return name; }

private:
  Status loadSection(const CudaApi &api, const program::CodeSection &section,
                     const Device &device);
  Status findStage(const CudaApi &api, const program::KernelStage &stage,
                   const Device &device, LoadedKernel &kernel);

  std::vector<Library> libraries;
  std::vector<LoadedKernel> kernels;
  std::string name;
};

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_MODULES_H
