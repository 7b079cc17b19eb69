// What generated kernels say of their ops to those who lower them.
#ifndef MPC_EMIT_KERNELATTRS_H
#define MPC_EMIT_KERNELATTRS_H

#include "mpc/Interfaces/LLVM.h"

namespace mpc::emit {

/// On a math.exp: its operand is at most 0, or NaN.
inline constexpr llvm::StringLiteral kNeverPositive = "mpc.never_positive";

/// On an scf.for of a kernel for GPUs: nobody is to write its rounds out, which
/// would be most of the kernel's code.
inline constexpr llvm::StringLiteral kRolled = "mpc.rolled";

} // namespace mpc::emit

#endif // MPC_EMIT_KERNELATTRS_H
