// The passes on the graph dialect, one file per stage, in the order in which the
// pipeline runs them. Stages and their gates: docs/Pipeline.md.
#ifndef MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_TD
#define MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_TD

include "mpc/Dialect/Graph/Transforms/Passes/Import.td"
include "mpc/Dialect/Graph/Transforms/Passes/Autocast.td"
include "mpc/Dialect/Graph/Transforms/Passes/Autodiff.td"
include "mpc/Dialect/Graph/Transforms/Passes/Scale.td"
include "mpc/Dialect/Graph/Transforms/Passes/Accumulate.td"
include "mpc/Dialect/Graph/Transforms/Passes/Reduce.td"
include "mpc/Dialect/Graph/Transforms/Passes/Update.td"
include "mpc/Dialect/Graph/Transforms/Passes/Simplify.td"
include "mpc/Dialect/Graph/Transforms/Passes/Group.td"
include "mpc/Dialect/Graph/Transforms/Passes/Diagnosis.td"

#endif // MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_TD
