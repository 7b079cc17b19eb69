// The pass that shows generated kernels.
#ifndef MPC_EMIT_PASSES_H
#define MPC_EMIT_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mpc::emit {

#define GEN_PASS_DECL
#include "mpc/Emit/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "mpc/Emit/Passes.h.inc"

} // namespace mpc::emit

#endif // MPC_EMIT_PASSES_H
