// All ops of the graph dialect: ten families, and the frames around them.
#ifndef MPC_DIALECT_GRAPH_IR_GRAPHOPS_TD
#define MPC_DIALECT_GRAPH_IR_GRAPHOPS_TD

include "mpc/Dialect/Graph/IR/Collective.td"
include "mpc/Dialect/Graph/IR/Contraction.td"
include "mpc/Dialect/Graph/IR/Elementwise.td"
include "mpc/Dialect/Graph/IR/Group.td"
include "mpc/Dialect/Graph/IR/Loss.td"
include "mpc/Dialect/Graph/IR/LossScale.td"
include "mpc/Dialect/Graph/IR/Normalization.td"
include "mpc/Dialect/Graph/IR/Optimizer.td"
include "mpc/Dialect/Graph/IR/OptimizerLists.td"
include "mpc/Dialect/Graph/IR/Precision.td"
include "mpc/Dialect/Graph/IR/Probe.td"
include "mpc/Dialect/Graph/IR/Reduction.td"
include "mpc/Dialect/Graph/IR/Region.td"
include "mpc/Dialect/Graph/IR/Schedule.td"
include "mpc/Dialect/Graph/IR/Shape.td"
include "mpc/Dialect/Graph/IR/TrainingAttrs.td" // for docs/Ops.md

#endif // MPC_DIALECT_GRAPH_IR_GRAPHOPS_TD
