// What a test binary tests: kernels for the CPU (HostModules.cpp) or for GPUs
// (GpuKernels/GpuModules.cpp). The tests are the same.
#ifndef MPC_TEST_NUMERICS_KERNELS_TESTEDMODULES_H
#define MPC_TEST_NUMERICS_KERNELS_TESTEDMODULES_H

#include "GroupedModule.h"
#include <bit>
#include <cmath>

namespace mpc::test {

/// Instruction sets or architectures.
std::vector<std::string> getTestedTargets();
/// One that has so few processors that each of them does much.
std::string getSmallTarget();
std::unique_ptr<GroupedModule> compileForTest(const std::string &text,
                                              const std::string &target);
/// Ways to run a kernel that must give the same bits.
std::vector<RunOptions> getVariants();
/// Additions that one of `terms` numbers goes through, at most, in a sum over
/// up to three dims: the bound of docs/Kernels.md ("Numbers").
double getSumDepth(int64_t terms);

/// A NaN is as any other.
inline bool haveEqualBits(const std::vector<reference::Tensor> &a,
                          const std::vector<reference::Tensor> &b) {
  for (auto [x, y] : llvm::zip(a, b))
    for (size_t i = 0; i < x.size(); ++i) {
      double u = x.value(i), v = y.value(i);
      if (std::bit_cast<uint64_t>(u) != std::bit_cast<uint64_t>(v) &&
          !(std::isnan(u) && std::isnan(v)))
        return false;
    }
  return true;
}

} // namespace mpc::test

#endif // MPC_TEST_NUMERICS_KERNELS_TESTEDMODULES_H
