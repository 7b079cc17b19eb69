// The ops of LossScale.td.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_STEP_LOSSSCALE_H
#define MPC_DIALECT_GRAPH_IR_OPS_STEP_LOSSSCALE_H

#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"

#define GET_OP_CLASSES
#include "mpc/Dialect/Graph/IR/Ops/Step/LossScale.h.inc"

#endif // MPC_DIALECT_GRAPH_IR_OPS_STEP_LOSSSCALE_H
