// The ops of Convolution.td, and how their windows lie.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_SPACE_CONVOLUTION_H
#define MPC_DIALECT_GRAPH_IR_OPS_SPACE_CONVOLUTION_H

#include "mpc/Dialect/Graph/IR/Ops/OpBase.h"
#include "mpc/Dialect/Graph/IR/Ops/Space/Windows.h"
#include "mpc/Interfaces/DimsOpInterfaces.h"
#include "mpc/Interfaces/StridedShape.h"

namespace mpc::graph {

/// Where the windows of a convolution begin, and what they take.
struct ConvolutionWindows : SpaceWindows {
  int64_t groups = 1;
};

} // namespace mpc::graph

#define GET_OP_CLASSES
#include "mpc/Dialect/Graph/IR/Ops/Space/Convolution.h.inc"

#endif // MPC_DIALECT_GRAPH_IR_OPS_SPACE_CONVOLUTION_H
