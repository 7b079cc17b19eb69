// The kernels of graph functions, compiled for the CPU.
#ifndef MPC_TEST_NUMERICS_KERNELS_KERNELMODULE_H
#define MPC_TEST_NUMERICS_KERNELS_KERNELMODULE_H

#include "GroupedModule.h"

namespace mpc::test {

using KernelFunction = void (*)(void *const *args, int64_t lo, int64_t hi);

class KernelModule final : public GroupedModule {
public:
  /// Emits and compiles all functions of `text` for one instruction set.
  KernelModule(const std::string &text, const std::string &target);
  ~KernelModule() override;

  bool isValid() const override { return library != nullptr; }

  /// The kernel of a function that became one group; null if it did not.
  struct OnlyKernel {
    KernelFunction run = nullptr;
    graph::KernelShape shape;
    SmallVector<Type> types; ///< Of its operands, then of its results.
  };
  OnlyKernel getOnlyKernel(const std::string &name);

private:
  void runKernel(const std::string &name, const graph::KernelShape &shape,
                 const std::vector<KernelBuffer> &buffers,
                 RunOptions options) override;
  bool load(const std::vector<uint8_t> &code);

  void *library = nullptr;
  int file = -1;
};

/// Instruction sets that this machine can run.
std::vector<std::string> getMachineTargets();

} // namespace mpc::test

#endif // MPC_TEST_NUMERICS_KERNELS_KERNELMODULE_H
