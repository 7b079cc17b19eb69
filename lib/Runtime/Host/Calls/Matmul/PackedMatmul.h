// Products by kernels of ours: of 16 bits that the processor, or oneDNN, has no
// instructions for, and of f32 where matrices are so small that a call of
// oneDNN takes longer than they do, or are read where they lie by it, slowly.
#ifndef MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_PACKEDMATMUL_H
#define MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_PACKEDMATMUL_H

#include "Packed/Block.h"
#include "mpc/Program/Calls/Matmul.h"
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

/// Whether ours are faster for this call, whose operands are f32.
bool isFasterPacked(const program::MatmulCall &call);

/// For a call whose operands are f32, f16 or bf16.
Result<std::unique_ptr<HostCall>>
makePackedMatmul(const program::Call &call, uint32_t workers,
                 const packed::Kernels &kernels);

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_HOST_CALLS_MATMUL_PACKEDMATMUL_H
