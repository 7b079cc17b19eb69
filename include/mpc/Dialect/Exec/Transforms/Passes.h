// The passes on the exec dialect, one record each in Passes.td.
#ifndef MPC_DIALECT_EXEC_TRANSFORMS_PASSES_H
#define MPC_DIALECT_EXEC_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"
#include "mpc/Interfaces/LLVM.h"
#include <memory>

namespace mpc::exec {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "mpc/Dialect/Exec/Transforms/Passes.h.inc"

} // namespace mpc::exec

#endif // MPC_DIALECT_EXEC_TRANSFORMS_PASSES_H
