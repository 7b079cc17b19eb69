// The ops of Optimizer.td.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_STEP_OPTIMIZER_H
#define MPC_DIALECT_GRAPH_IR_OPS_STEP_OPTIMIZER_H

#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"
#include "mpc/Interfaces/OptimizerOpInterface.h"

#define GET_OP_CLASSES
#include "mpc/Dialect/Graph/IR/Ops/Step/Optimizer.h.inc"

#endif // MPC_DIALECT_GRAPH_IR_OPS_STEP_OPTIMIZER_H
