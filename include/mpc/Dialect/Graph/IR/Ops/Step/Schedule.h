// The ops of Schedule.td.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_STEP_SCHEDULE_H
#define MPC_DIALECT_GRAPH_IR_OPS_STEP_SCHEDULE_H

#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"
#include "mpc/Dialect/Graph/IR/TrainingAttrs.h"

#define GET_OP_CLASSES
#include "mpc/Dialect/Graph/IR/Ops/Step/Schedule.h.inc"

#endif // MPC_DIALECT_GRAPH_IR_OPS_STEP_SCHEDULE_H
