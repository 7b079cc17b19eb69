// The ops of Normalization.td.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_NORMALIZATION_H
#define MPC_DIALECT_GRAPH_IR_OPS_NORMALIZATION_H

#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"

#define GET_OP_CLASSES
#include "mpc/Dialect/Graph/IR/Ops/Normalization.h.inc"

#endif // MPC_DIALECT_GRAPH_IR_OPS_NORMALIZATION_H
