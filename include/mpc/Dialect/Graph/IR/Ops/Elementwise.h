// The ops of Elementwise.td.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_ELEMENTWISE_H
#define MPC_DIALECT_GRAPH_IR_OPS_ELEMENTWISE_H

#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"
#include "mpc/Interfaces/TrainingOpInterfaces.h"

#define GET_OP_CLASSES
#include "mpc/Dialect/Graph/IR/Ops/Elementwise.h.inc"

#endif // MPC_DIALECT_GRAPH_IR_OPS_ELEMENTWISE_H
