// Passes of stage `accumulate`, in the order in which the pipeline runs them.
#ifndef MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_ACCUMULATE_TD
#define MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_ACCUMULATE_TD

include "mpc/Dialect/Graph/Transforms/Passes/Base.td"

def AccumulateGradients : Graph_Pass<"mpc-accumulate-gradients"> {
  let summary = "Split a step into micro-batches that add up their gradients";
  let description = [{
    With `accumulate = N` in graph.training, N > 1, the step gets a sibling
    entry, and both get a state per gradient and one for the loss:

    ```mlir
    func.func @model_accumulate(..., %sum {graph.state = #graph.state<"w.grad" accumulator of "w">}, ...)
        -> (tensor<f32> {graph.loss}, tensor<4xf32> {graph.updates = "w.grad"}, ...) {
      %seed = graph.constant {graph.seed} dense<0.25> : tensor<f32>  // 1 / N
      %scaled = graph.scale %seed, %scale
      ...
      %next = graph.add %sum, %g   // still scaled
      return %loss, %next, ...
    }
    func.func @model_step(...) {
      ...
      %total = graph.add %sum, %g
      %u, %found_inf = graph.unscale %scale, %total
      %zeros = graph.constant dense<0.0> // graph.updates = "w.grad"
    ```
    A caller runs "accumulate" N - 1 times and then "step". The step returns the
    mean loss of all micro-batches. The one check sees an inf or NaN of any of
    them, because both survive addition. The setting `accumulate` is an option,
    too. Run after `mpc-scale-loss` and before `mpc-insert-all-reduce`: one
    micro-batch of the step communicates.
  }];
}
def VerifyAccumulate : Graph_Gate<"accumulate"> {
  let summary = "Check that both entries of a step add up the same gradients";
  let description = [{
    With N micro-batches there is one entry "accumulate" beside the step, with
    the same accumulators. Each is read once, by the op that adds to it; sums of
    gradients are scaled if gradients are, and "accumulate" updates nothing
    else, reduces and unscales nothing and returns nothing scaled. The step goes
    on with the sums and leaves zeros. All seeds are 1 / N.
  }];
}

#endif // MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_ACCUMULATE_TD
