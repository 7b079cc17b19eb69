// "Be of another size", "have your dims in another order".
#ifndef MPC_INTERFACES_DIMSOPINTERFACES_H
#define MPC_INTERFACES_DIMSOPINTERFACES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mpc/Interfaces/LLVM.h"

#include "mpc/Interfaces/DimsOpInterfaces.h.inc"

#endif // MPC_INTERFACES_DIMSOPINTERFACES_H
