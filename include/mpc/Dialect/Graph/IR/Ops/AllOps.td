// All ops of the graph dialect, for documents. In folder Space lie those
// on tensors with channels and dims of space, in folder Time those that run
// along time, in folder Step those that no model has: passes put them into the
// training step.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_ALLOPS_TD
#define MPC_DIALECT_GRAPH_IR_OPS_ALLOPS_TD

include "mpc/Dialect/Graph/IR/Ops/Activation.td"
include "mpc/Dialect/Graph/IR/Ops/Attention.td"
include "mpc/Dialect/Graph/IR/Ops/Cast.td"
include "mpc/Dialect/Graph/IR/Ops/Constant.td"
include "mpc/Dialect/Graph/IR/Ops/Contraction.td"
include "mpc/Dialect/Graph/IR/Ops/Elementwise.td"
include "mpc/Dialect/Graph/IR/Ops/Group.td"
include "mpc/Dialect/Graph/IR/Ops/Indexing.td"
include "mpc/Dialect/Graph/IR/Ops/Loss.td"
include "mpc/Dialect/Graph/IR/Ops/Normalization.td"
include "mpc/Dialect/Graph/IR/Ops/Random.td"
include "mpc/Dialect/Graph/IR/Ops/Reduction.td"
include "mpc/Dialect/Graph/IR/Ops/Region.td"
include "mpc/Dialect/Graph/IR/Ops/Shape.td"
include "mpc/Dialect/Graph/IR/Ops/Space/Convolution.td"
include "mpc/Dialect/Graph/IR/Ops/Space/Pooling.td"
include "mpc/Dialect/Graph/IR/Ops/Space/Resize.td"
include "mpc/Dialect/Graph/IR/Ops/Step/Collective.td"
include "mpc/Dialect/Graph/IR/Ops/Step/LossScale.td"
include "mpc/Dialect/Graph/IR/Ops/Step/Optimizer.td"
include "mpc/Dialect/Graph/IR/Ops/Step/OptimizerLists.td"
include "mpc/Dialect/Graph/IR/Ops/Step/Probe.td"
include "mpc/Dialect/Graph/IR/Ops/Step/Schedule.td"
include "mpc/Dialect/Graph/IR/Ops/Time/Recurrent.td"
include "mpc/Dialect/Graph/IR/Ops/Time/Scan.td"
include "mpc/Dialect/Graph/IR/TrainingAttrs.td" // for docs/Ops.md

#endif // MPC_DIALECT_GRAPH_IR_OPS_ALLOPS_TD
