// The ops of Probe.td.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_STEP_PROBE_H
#define MPC_DIALECT_GRAPH_IR_OPS_STEP_PROBE_H

#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"
#include "mpc/Interfaces/OptimizerOpInterface.h"

#define GET_OP_CLASSES
#include "mpc/Dialect/Graph/IR/Ops/Step/Probe.h.inc"

#endif // MPC_DIALECT_GRAPH_IR_OPS_STEP_PROBE_H
