// "What do you keep of the batches that you see?" Of ops like batch_norm.
#ifndef MPC_INTERFACES_RUNNINGSTATISTICS_H
#define MPC_INTERFACES_RUNNINGSTATISTICS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OpDefinition.h"
#include "mpc/Interfaces/LLVM.h"

#include "mpc/Interfaces/RunningStatistics.h.inc"

#endif // MPC_INTERFACES_RUNNINGSTATISTICS_H
