// Passes between dialects.
#ifndef MPC_CONVERSION_PASSES_TD
#define MPC_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertGraphToExec : Pass<"mpc-convert-graph-to-exec", "::mlir::ModuleOp"> {
  let summary = "Turn grouped graph functions into entries of an exec program";
  let description = [{
    Every function with `graph.entry` becomes an `exec.entry` of that name, its
    parameters and states become `exec.state_decl`. Groups become launches of
    kernels, library groups and collectives the step of their family; equal
    groups share one kernel, named by a hash of its content. Every result gets a
    buffer of its own; `mpc-plan-buffers` places them.

    ```mlir
    func.func @m(%x: tensor<4x8xf32> {graph.input = "x"})
        -> (tensor<4x8xf32> {graph.output = "y"}) attributes {graph.entry = "forward"} {
      %y = graph.group #graph.group_kind<row> %x : (tensor<4x8xf32>) -> tensor<4x8xf32> {...}
      return %y : tensor<4x8xf32>
    }
    ```
    becomes
    ```mlir
    exec.kernel @k_0123456789abcdef0123 extent = 4 ... {...}
    exec.entry @forward {
      %x = exec.input "x" : memref<4x8xf32>
      %y = exec.alloc as output : memref<4x8xf32>
      exec.launch @k_0123456789abcdef0123 ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>)
      exec.output "y" %y : memref<4x8xf32>
    }
    ```
    The module gets `exec.model` (the model's name) and keeps `graph.training`.
    Run after `mpc-group`.
  }];
  let dependentDialects = ["::mpc::exec::ExecDialect"];
}

#endif // MPC_CONVERSION_PASSES_TD
