// The ops of Region.td.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_REGION_H
#define MPC_DIALECT_GRAPH_IR_OPS_REGION_H

#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"

namespace mpc::graph {
class YieldOp; // of Group.td; it ends a region, too
} // namespace mpc::graph

#define GET_OP_CLASSES
#include "mpc/Dialect/Graph/IR/Ops/Region.h.inc"

#endif // MPC_DIALECT_GRAPH_IR_OPS_REGION_H
