// The ops of Rounding.td.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_ROUNDING_H
#define MPC_DIALECT_GRAPH_IR_OPS_ROUNDING_H

#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"

#define GET_OP_CLASSES
#include "mpc/Dialect/Graph/IR/Ops/Rounding.h.inc"

#endif // MPC_DIALECT_GRAPH_IR_OPS_ROUNDING_H
