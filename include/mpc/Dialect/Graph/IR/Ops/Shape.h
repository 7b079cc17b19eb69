// The ops of Shape.td.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_SHAPE_H
#define MPC_DIALECT_GRAPH_IR_OPS_SHAPE_H

#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"
#include "mpc/Interfaces/DimsOpInterfaces.h"

#define GET_OP_CLASSES
#include "mpc/Dialect/Graph/IR/Ops/Shape.h.inc"

#endif // MPC_DIALECT_GRAPH_IR_OPS_SHAPE_H
