// The ops of Indexing.td.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_INDEXING_H
#define MPC_DIALECT_GRAPH_IR_OPS_INDEXING_H

#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"
#include "mpc/Interfaces/LabelsOpInterface.h"

#define GET_OP_CLASSES
#include "mpc/Dialect/Graph/IR/Ops/Indexing.h.inc"

#endif // MPC_DIALECT_GRAPH_IR_OPS_INDEXING_H
