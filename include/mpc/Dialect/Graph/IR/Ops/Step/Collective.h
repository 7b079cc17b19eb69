// The ops of Collective.td.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_STEP_COLLECTIVE_H
#define MPC_DIALECT_GRAPH_IR_OPS_STEP_COLLECTIVE_H

#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"

#define GET_OP_CLASSES
#include "mpc/Dialect/Graph/IR/Ops/Step/Collective.h.inc"

#endif // MPC_DIALECT_GRAPH_IR_OPS_STEP_COLLECTIVE_H
