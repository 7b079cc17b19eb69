// The ops of Loss.td.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_LOSS_H
#define MPC_DIALECT_GRAPH_IR_OPS_LOSS_H

#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"
#include "mpc/Interfaces/LabelsOpInterface.h"

#define GET_OP_CLASSES
#include "mpc/Dialect/Graph/IR/Ops/Loss.h.inc"

#endif // MPC_DIALECT_GRAPH_IR_OPS_LOSS_H
