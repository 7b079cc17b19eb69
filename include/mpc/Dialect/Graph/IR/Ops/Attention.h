// The ops of Attention.td.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_ATTENTION_H
#define MPC_DIALECT_GRAPH_IR_OPS_ATTENTION_H

#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"
#include "mpc/Interfaces/StridedShape.h"
#include "mpc/Interfaces/TrainingOpInterfaces.h"

#define GET_OP_CLASSES
#include "mpc/Dialect/Graph/IR/Ops/Attention.h.inc"

#endif // MPC_DIALECT_GRAPH_IR_OPS_ATTENTION_H
