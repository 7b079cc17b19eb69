// "Where can your library write a result?"
#ifndef MPC_INTERFACES_STRIDEDRESULTSOPINTERFACE_H
#define MPC_INTERFACES_STRIDEDRESULTSOPINTERFACE_H

#include "mlir/IR/OpDefinition.h"
#include "mpc/Interfaces/LLVM.h"
#include "mpc/Interfaces/StridedShape.h"
#include "mpc/Interfaces/Target.h"

#include "mpc/Interfaces/StridedResultsOpInterface.h.inc"

#endif // MPC_INTERFACES_STRIDEDRESULTSOPINTERFACE_H
