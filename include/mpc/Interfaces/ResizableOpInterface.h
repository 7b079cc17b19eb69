// "Be of another size." Ops whose shape is written down, for another batch.
#ifndef MPC_INTERFACES_RESIZABLEOPINTERFACE_H
#define MPC_INTERFACES_RESIZABLEOPINTERFACE_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mpc/Interfaces/LLVM.h"

#include "mpc/Interfaces/ResizableOpInterface.h.inc"

#endif // MPC_INTERFACES_RESIZABLEOPINTERFACE_H
