// Which steps of an entry must stay behind which. Private to this room.
#ifndef MPC_LIB_DIALECT_EXEC_TRANSFORMS_STEPDEPENDENCIES_H
#define MPC_LIB_DIALECT_EXEC_TRANSFORMS_STEPDEPENDENCIES_H

#include "mpc/Dialect/Exec/IR/ExecOps.h"

namespace mpc::exec {

/// Numbers of steps, by step.
using StepLists = SmallVector<SmallVector<unsigned, 4>>;

/// Of each step those that must run behind it, by the memory that they read and
/// write: who reads what another one writes, or writes what it reads.
StepLists findFollowers(ArrayRef<StepOpInterface> steps);

/// Moves `steps` behind each other in this order, in front of the outputs.
void layOutSteps(ArrayRef<StepOpInterface> steps, ArrayRef<unsigned> order);

} // namespace mpc::exec

#endif // MPC_LIB_DIALECT_EXEC_TRANSFORMS_STEPDEPENDENCIES_H
