// The ops of Cast.td.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_CAST_H
#define MPC_DIALECT_GRAPH_IR_OPS_CAST_H

#include "mpc/Dialect/Graph/IR/CastReason.h"
#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"

#define GET_OP_CLASSES
#include "mpc/Dialect/Graph/IR/Ops/Cast.h.inc"

#endif // MPC_DIALECT_GRAPH_IR_OPS_CAST_H
