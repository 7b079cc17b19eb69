// The passes between dialects, one record each in Passes.td.
#ifndef MPC_CONVERSION_PASSES_H
#define MPC_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"
#include "mpc/Interfaces/LLVM.h"
#include <memory>

namespace mpc {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "mpc/Conversion/Passes.h.inc"

} // namespace mpc

#endif // MPC_CONVERSION_PASSES_H
