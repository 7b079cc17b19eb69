// "Have your dims in another order." Asked by the pass that chooses layouts.
#ifndef MPC_INTERFACES_LAYOUTOPINTERFACES_H
#define MPC_INTERFACES_LAYOUTOPINTERFACES_H

#include "mlir/IR/OpDefinition.h"
#include "mpc/Interfaces/LLVM.h"

#include "mpc/Interfaces/LayoutOpInterfaces.h.inc"

#endif // MPC_INTERFACES_LAYOUTOPINTERFACES_H
