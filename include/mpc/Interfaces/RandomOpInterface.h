// "What do you draw your numbers from?" Of ops like dropout.
#ifndef MPC_INTERFACES_RANDOMOPINTERFACE_H
#define MPC_INTERFACES_RANDOMOPINTERFACE_H

#include "mlir/IR/OpDefinition.h"
#include "mpc/Interfaces/LLVM.h"

#include "mpc/Interfaces/RandomOpInterface.h.inc"

#endif // MPC_INTERFACES_RANDOMOPINTERFACE_H
