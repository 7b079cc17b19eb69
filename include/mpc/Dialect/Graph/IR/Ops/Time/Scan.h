// The op of Scan.td.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_TIME_SCAN_H
#define MPC_DIALECT_GRAPH_IR_OPS_TIME_SCAN_H

#include "mpc/Dialect/Graph/IR/Ops/Group.h"

#define GET_OP_CLASSES
#include "mpc/Dialect/Graph/IR/Ops/Time/Scan.h.inc"

#endif // MPC_DIALECT_GRAPH_IR_OPS_TIME_SCAN_H
