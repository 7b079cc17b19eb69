// The ops of Recurrent.td.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_TIME_RECURRENT_H
#define MPC_DIALECT_GRAPH_IR_OPS_TIME_RECURRENT_H

#include "mlir/IR/OpImplementation.h"
#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"
#include "mpc/Interfaces/LabelsOpInterface.h"

#define GET_OP_CLASSES
#include "mpc/Dialect/Graph/IR/Ops/Time/Recurrent.h.inc"

#endif // MPC_DIALECT_GRAPH_IR_OPS_TIME_RECURRENT_H
