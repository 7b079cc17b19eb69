// The ops of Constant.td.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_CONSTANT_H
#define MPC_DIALECT_GRAPH_IR_OPS_CONSTANT_H

#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"
#include "mpc/Interfaces/DimsOpInterfaces.h"

#define GET_OP_CLASSES
#include "mpc/Dialect/Graph/IR/Ops/Constant.h.inc"

#endif // MPC_DIALECT_GRAPH_IR_OPS_CONSTANT_H
