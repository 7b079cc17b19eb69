// The ops of Contraction.td.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_CONTRACTION_H
#define MPC_DIALECT_GRAPH_IR_OPS_CONTRACTION_H

#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"

#define GET_OP_CLASSES
#include "mpc/Dialect/Graph/IR/Ops/Contraction.h.inc"

#endif // MPC_DIALECT_GRAPH_IR_OPS_CONTRACTION_H
