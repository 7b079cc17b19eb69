// Functions that kernels may approximate, since what they store is rounded
// more.
#ifndef MPC_EMIT_COMMON_APPROXIMATIONS_H
#define MPC_EMIT_COMMON_APPROXIMATIONS_H

#include "mpc/Interfaces/LLVM.h"

namespace mpc::emit {

/// Tells those who lower `kernel`, the emitted code of a group's `body`, of
/// which functions of f32 a few digits less will do (fastmath<afn>). Where the
/// largest tensors have 16 bits these are exponentials, and error functions to
/// which 1 is added; else none. Call it where rounding is fused.
void markApproximations(Operation *kernel, Block &body);

} // namespace mpc::emit

#endif // MPC_EMIT_COMMON_APPROXIMATIONS_H
