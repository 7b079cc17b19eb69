// Passes of programs for diagnosis: the entry `probe`.
#ifndef MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_DIAGNOSIS_TD
#define MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_DIAGNOSIS_TD

include "mpc/Dialect/Graph/Transforms/Passes/Base.td"

def InsertProbes : Graph_Pass<"mpc-insert-probes"> {
  let summary = "Observe every float value of the training step";
  let description = [{
    Puts a `graph.observe` after each op of the step that has float results,
    and in front of all for its arguments; without a step it is the forward
    entry. Observations carry what a report needs: a name that stays the same
    from one compilation of a model to the next, what made the value, what it
    read, whether it is of the backward, and whether it is the loss or a
    gradient.

    ```mlir
    %y = graph.matmul %x, %w : ...
    // becomes
    %y = graph.matmul %x, %w : ...
    graph.observe 2 %y as "matmul@m.mlir:3:8" made_by "graph.matmul" from [0, 1] : ...
    ```

    Run after stage `reduce`: gradients are there, and no update yet. An
    observation stands outside of groups, so each value is stored, in its type.
  }];
}
def KeepProbes : Graph_Pass<"mpc-keep-probes"> {
  let summary = "Make the observed function the entry `probe`, and drop the rest";
  let description = [{
    The function that has observations loses its results and with them
    everything that no observation needs: the update. It becomes the entry
    `probe`. Of the others only `init` stays, which computes the 16-bit weights.
    Arguments without use go, but for inputs, so that whoever runs a step can
    run the probe with the same data.

    Run after stage `update`, whose choice of masters and weight copies the
    probe then has, too.
  }];
}

#endif // MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_DIAGNOSIS_TD
