// Attention without its scores in memory: means of values, weighted by the
// softmax of query times key (FlashAttention-2: Dao, 2023), and their
// gradients.
//
//   Result<std::vector<AttentionLaunch>> launches = planForward(problem);
//   for (AttentionLaunch &launch : *launches)
//     <launch->function, grid, block, sharedBytes, kernelParameters()>
//
// Addresses are fixed when a launch is planned, so it can be the node of a
// graph. The bits of a result depend on the problem alone: no sum is shared
// between blocks, none is atomic.
//
// No CUDA here: kernels are addresses. They are those of device code where
// mpc_kernels is linked, and of ordinary functions (see test/Kernels) where the
// emulated kernels are.
#ifndef MPC_KERNELS_ATTENTION_ATTENTION_H
#define MPC_KERNELS_ATTENTION_ATTENTION_H

#include "kernels/Attention/Parameters.h"
#include "mpc/Support/Status.h"
#include <span>
#include <vector>

namespace mpc::kernels {

struct AttentionLaunch {
  const void *function = nullptr;
  uint32_t grid = 0, block = 0;
  /// Dynamic shared memory. More than 48 KiB has to be allowed first
  /// (cudaFuncAttributeMaxDynamicSharedMemorySize).
  uint32_t sharedBytes = 0;
  AttentionParameters parameters; ///< the only argument of the kernel

  /// Of backward: backwardWorkspaceBytes of device memory, aligned to 4. Before
  /// it is said the launch must not run.
  void setWorkspace(void *memory);
  /// For cudaLaunchKernel; valid while this lives.
  void **kernelParameters();

private:
  void *addresses[1] = {};
};

/// InvalidArgument: a type, a width or a number of blocks that no kernel has.
/// Tensors may overlap only where none of the two is written.
Result<std::vector<AttentionLaunch>>
planForward(const AttentionProblem &problem);

/// Device memory that backward needs while it runs.
uint64_t backwardWorkspaceBytes(const AttentionProblem &problem);

Result<std::vector<AttentionLaunch>>
planBackward(const AttentionProblem &problem);

} // namespace mpc::kernels

#endif // MPC_KERNELS_ATTENTION_ATTENTION_H
