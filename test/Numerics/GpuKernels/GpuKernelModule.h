// The kernels of graph functions, emitted for a GPU and run on emulated
// threads, with every access to memory checked.
#ifndef MPC_TEST_NUMERICS_GPUKERNELS_GPUKERNELMODULE_H
#define MPC_TEST_NUMERICS_GPUKERNELS_GPUKERNELMODULE_H

#include "Emulation/EmulatedModule.h"
#include "Numerics/Kernels/GroupedModule.h"
#include "mpc/Emit/GpuEmitter.h"
#include <map>

namespace mpc::test {

class GpuKernelModule final : public GroupedModule {
public:
  /// Changes what was emitted before it is compiled.
  using Edit = llvm::function_ref<void(mlir::gpu::GPUModuleOp)>;

  /// `arch`: "sm_90", or "sm_90:2" for one with 2 multiprocessors.
  GpuKernelModule(const std::string &text, const std::string &arch,
                  Edit edit = nullptr);

  bool isValid() const override { return code != nullptr; }

private:
  void runKernel(const std::string &name, const graph::KernelShape &shape,
                 const std::vector<KernelBuffer> &buffers,
                 RunOptions options) override;

  std::map<std::string, emit::GpuKernel> kernels;
  std::unique_ptr<emulation::EmulatedCode> code;
};

} // namespace mpc::test

#endif // MPC_TEST_NUMERICS_GPUKERNELS_GPUKERNELMODULE_H
