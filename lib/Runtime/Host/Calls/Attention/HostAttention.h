// Attention with the kernels of one instruction set. Private to this folder and
// its test.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_HOSTATTENTION_H
#define MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_HOSTATTENTION_H

#include "Heads.h"
#include "mpc/Program/Calls.h"
#include "mpc/Runtime/HostCall.h"

namespace mpc::runtime {

/// `call` is a verified attention; both outlive what is made.
Result<std::unique_ptr<HostCall>>
makeAttention(const program::Call &call, const attention::HeadKernels &kernels);

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_HOST_CALLS_ATTENTION_HOSTATTENTION_H
