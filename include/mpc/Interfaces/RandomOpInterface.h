// "What do you draw your numbers from?" Of ops like dropout.
#ifndef MPC_INTERFACES_RANDOMOPINTERFACE_H
#define MPC_INTERFACES_RANDOMOPINTERFACE_H

#include "mlir/IR/OpDefinition.h"
#include "mpc/Interfaces/LLVM.h"

namespace mpc::detail {
/// A key is two numbers, and stands beside a stream.
LogicalResult verifyRandomOp(Operation *op);
} // namespace mpc::detail

#include "mpc/Interfaces/RandomOpInterface.h.inc"

#endif // MPC_INTERFACES_RANDOMOPINTERFACE_H
