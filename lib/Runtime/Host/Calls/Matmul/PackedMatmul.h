// Products of 16 bits that the processor, or oneDNN, has no instructions for.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_PACKEDMATMUL_H
#define MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_PACKEDMATMUL_H

#include "Packed/Block.h"
#include "mpc/Program/Calls.h"
#include "mpc/Runtime/HostCall.h"

#include <string_view>
#include <vector>

namespace mpc::runtime {

struct PackedKernels {
  std::string_view name; ///< of the instruction set
  const packed::Kernels *kernels;
};
/// What this processor runs, the fastest last.
std::vector<PackedKernels> findPackedKernels();

/// For a call whose operands are f16 or bf16.
Result<std::unique_ptr<HostCall>>
makePackedMatmul(const program::Call &call, uint32_t workers,
                 const packed::Kernels &kernels);

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_PACKEDMATMUL_H
