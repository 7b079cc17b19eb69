// What the records of all stages are made of.
#ifndef MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_BASE_TD
#define MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_BASE_TD

include "mlir/Pass/PassBase.td"

class Graph_Pass<string argument> : Pass<argument, "::mlir::ModuleOp"> {
  let dependentDialects = ["::mpc::graph::GraphDialect"];
}

/// A gate reads and never writes: it fails with an error at the op that breaks
/// the invariant of its stage, and notes at the causes.
class Graph_Gate<string stage> : Pass<"mpc-verify-" # stage, "::mlir::ModuleOp"> {}

#endif // MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_BASE_TD
