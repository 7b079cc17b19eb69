// Types as messages, remarks and reasons spell them.
#ifndef MPC_TEXT_TYPETEXT_H
#define MPC_TEXT_TYPETEXT_H

#include "mlir/Support/DebugStringHelper.h"
#include "mpc/Interfaces/LLVM.h"

namespace mpc {

/// As the IR has it: "bf16", "tensor<4x8xf32>".
inline std::string toString(Type type) { return mlir::debugString(type); }

} // namespace mpc

#endif // MPC_TEXT_TYPETEXT_H
