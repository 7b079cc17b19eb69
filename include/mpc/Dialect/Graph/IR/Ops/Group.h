// The ops of Group.td.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_GROUP_H
#define MPC_DIALECT_GRAPH_IR_OPS_GROUP_H

#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"

#define GET_OP_CLASSES
#include "mpc/Dialect/Graph/IR/Ops/Group.h.inc"

#endif // MPC_DIALECT_GRAPH_IR_OPS_GROUP_H
