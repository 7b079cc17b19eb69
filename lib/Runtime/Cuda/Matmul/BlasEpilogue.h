// Which epilogue of cuBLASLt does what a product asks for.
#ifndef MPC_LIB_RUNTIME_CUDA_MATMUL_BLASEPILOGUE_H
#define MPC_LIB_RUNTIME_CUDA_MATMUL_BLASEPILOGUE_H

#include "mpc/Program/Program.h"

#include <cublasLt.h>

namespace mpc::runtime {

/// Fails with InvalidProgram, saying what to do, if there is none.
Result<cublasLtEpilogue_t> toBlasEpilogue(const program::Matmul &matmul);

/// "gelu_tanh", "none": as in the IR.
std::string_view getName(program::Epilogue epilogue);

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_MATMUL_BLASEPILOGUE_H
