// The ops of Activation.td.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_ACTIVATION_H
#define MPC_DIALECT_GRAPH_IR_OPS_ACTIVATION_H

#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"

#define GET_OP_CLASSES
#include "mpc/Dialect/Graph/IR/Ops/Activation.h.inc"

#endif // MPC_DIALECT_GRAPH_IR_OPS_ACTIVATION_H
