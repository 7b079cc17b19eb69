// Passes of stage `scale`, in the order in which the pipeline runs them.
#ifndef MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_SCALE_TD
#define MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_SCALE_TD

include "mpc/Dialect/Graph/Transforms/Passes/Base.td"

def ScaleLoss : Graph_Pass<"mpc-scale-loss"> {
  let summary = "Scale the cotangent of the loss, unscale and check the gradients";
  let description = [{
    ```mlir
    %seed = graph.constant {graph.seed} dense<1.0> : tensor<f32>
    %g = ... %seed ...
    return %loss, %g
    ```
    becomes, with the new argument `%scale {graph.state = #graph.state<"scaler.scale" loss_scale>}`,
    ```mlir
    %seed = graph.constant {graph.seed} dense<1.0> : tensor<f32>
    %scaled = graph.scale %seed, %scale : tensor<f32>, tensor<f32>
    %g = ... %scaled ...
    %u, %found_inf = graph.unscale %scale, %g : (...) -> (...)
    %next_scale, ... = graph.scaler_update %scale, %growth_tracker, %found_inf ...
    return %loss, %u, %found_inf, %scale, %next_scale, ...
    ```
    There is one unscale per parameter group, whose found_inf is a result
    `{graph.found_inf = "<group>"}` for the update stage, and with a scale per
    loss one per loss, before the losses' gradients are added. The next state of
    the scaler are results `{graph.updates = "scaler...."}`; a static scale has
    none. See docs/LossScaling.md.

    Mode `none` leaves everything alone. Options are the settings `loss-scale`
    and `scale-...`; they override graph.training. Run after `mpc-differentiate`.
  }];
}
def VerifyScale : Graph_Gate<"scale"> {
  let summary = "Check by dataflow that each gradient is scaled and unscaled once";
  let description = [{
    Every path from a `graph.scale` to a gradient or a next state passes exactly
    one `graph.unscale` by the same scale (or, with divide_by_next, by what it
    becomes), no value is reached by the scales of two losses, no result is
    scaled, and no gradient of a scaled step bypasses the scale.
  }];
}

#endif // MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_SCALE_TD
