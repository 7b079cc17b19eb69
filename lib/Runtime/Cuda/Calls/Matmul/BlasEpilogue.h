// Which epilogue of cuBLASLt does what a product asks for.
#ifndef MPC_LIB_RUNTIME_CUDA_CALLS_MATMUL_BLASEPILOGUE_H
#define MPC_LIB_RUNTIME_CUDA_CALLS_MATMUL_BLASEPILOGUE_H

#include "mpc/Program/Calls/Matmul.h"

#include <cublasLt.h>

namespace mpc::runtime {

/// Fails with InvalidProgram, saying what to do, if there is none.
Result<cublasLtEpilogue_t> toBlasEpilogue(const program::MatmulCall &call);
/// How an operand is given to cuBLASLt: where both ways are true, as f8
/// operands are multiplied.
program::MatrixLayout getLhsLayout(const program::MatmulCall &call);
program::MatrixLayout getRhsLayout(const program::MatmulCall &call);

/// "gelu_tanh", "none": as in the IR.
std::string_view getName(program::Epilogue epilogue);

} // namespace mpc::runtime

#endif // MPC_LIB_RUNTIME_CUDA_CALLS_MATMUL_BLASEPILOGUE_H
