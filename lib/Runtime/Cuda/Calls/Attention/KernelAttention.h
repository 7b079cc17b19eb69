// Attention by kernels of our own (kernels/Attention), launched one after the
// other. They take every call and need no library beside cudart.
#ifndef MPC_LIB_RUNTIME_CUDA_CALLS_ATTENTION_KERNELATTENTION_H
#define MPC_LIB_RUNTIME_CUDA_CALLS_ATTENTION_KERNELATTENTION_H

#include "../CallLibrary.h"
#include "mpc/Program/Calls/Attention.h"

namespace mpc::runtime {

uint64_t kernelAttentionWorkspace(const program::AttentionCall &call);

/// `args`: of `call`.
Result<std::unique_ptr<LibraryCall>>
makeKernelAttention(const CudaApi &api, const program::Call &call,
                    std::span<void *const> args);

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_CALLS_ATTENTION_KERNELATTENTION_H
