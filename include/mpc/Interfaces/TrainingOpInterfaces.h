// "What do you draw your numbers from?" Of ops like dropout. "What do you keep
// of the batches that you see?" Of ops like batch_norm.
#ifndef MPC_INTERFACES_TRAININGOPINTERFACES_H
#define MPC_INTERFACES_TRAININGOPINTERFACES_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OpDefinition.h"
#include "mpc/Interfaces/LLVM.h"

namespace mpc::detail {
/// A key is two numbers, and stands beside a stream.
LogicalResult verifyRandomOp(Operation *op);
} // namespace mpc::detail

#include "mpc/Interfaces/TrainingOpInterfaces.h.inc"

#endif // MPC_INTERFACES_TRAININGOPINTERFACES_H
