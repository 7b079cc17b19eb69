// What generated kernels say of their ops to those who lower them.
#ifndef MPC_EMIT_KERNELATTRS_H
#define MPC_EMIT_KERNELATTRS_H

#include "mpc/Interfaces/LLVM.h"

namespace mpc::emit {

/// On a math.exp: its operand is at most 0, or NaN.
inline constexpr llvm::StringLiteral kNeverPositive = "mpc.never_positive";

} // namespace mpc::emit

#endif // MPC_EMIT_KERNELATTRS_H
