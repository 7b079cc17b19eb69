// Passes of stage `autodiff`, in the order in which the pipeline runs them.
#ifndef MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_AUTODIFF_TD
#define MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_AUTODIFF_TD

include "mpc/Dialect/Graph/Transforms/Passes/Base.td"

def MarkInputs : Graph_Pass<"mpc-mark-inputs"> {
  let summary = "Write on each input which labels it takes and whether only the loss needs it";
  let description = [{
    An input that reaches an operand of labels (`LabelsOpInterface`) as it is, or
    with its elements only moved, gets the classes as `graph.classes`: the
    runtime refuses other labels. An input that no result depends on but the
    loss gets `graph.loss_only`: who wants no loss need not have it. What a model
    says itself of an input holds too: the labels are those that both take.

    ```mlir
    func.func @model(%x: tensor<4x8xf32> {graph.input = "x"}, %label: tensor<4xi32> {graph.input = "label"}) -> (tensor<f32> {graph.loss}, ...) {
      %loss = graph.cross_entropy %logits, %label : (tensor<4x10xf32>, tensor<4xi32>) -> tensor<f32>
    // --mpc-mark-inputs
    func.func @model(..., %label: tensor<4xi32> {graph.classes = #graph.classes<count = 10, ignored = -100>, graph.input = "label", graph.loss_only}) -> ...
    ```

    Run after `mpc-inline-custom`, which brings every loss into the model, and
    before `mpc-differentiate`, which makes the entries that share its inputs.
  }];
}
def Differentiate : Graph_Pass<"mpc-differentiate"> {
  let summary = "Build the training step from each model";
  let description = [{
    ```mlir
    func.func @model(%x {graph.input = "x"}, %w {graph.parameter = "w"}) -> (tensor<f32> {graph.loss})
    ```
    becomes the entry "forward", unchanged, and after it gets the sibling
    ```mlir
    func.func @model_step(%x {graph.input = "x"}, %w {graph.parameter = "w"})
        -> (tensor<f32> {graph.loss}, tensor<8x4xf32> {graph.gradient = "w"})
        attributes {graph.entry = "step"} {
      ... the body of @model ...
      %seed = graph.constant {graph.seed} dense<1.0> : tensor<f32>
      ... the backward, in reverse order, each op at the location of its primal ...
      return %loss, %gradient_of_w
    }
    ```
    with one gradient per parameter that is not `graph.frozen`, in the
    parameter's type. A model without a loss or without parameters to train is
    only an entry "forward", and a warning if it has an optimizer. Parameters
    that do not reach the loss are one warning, and frozen in the step; if none
    reaches it, it is an error. An op that lies between a parameter and the loss
    and has no gradient is an error, unless that is what it is for
    (`graph.stop_gradient`): it is gone afterwards, its operand in its place. A
    parameter that reaches the loss in no other way is frozen, and a remark.

    Which values of the forward pass are kept for the backward is reported as
    analysis remarks of category `mpc-differentiate`. Run after
    `mpc-autocast`, so that the backward has the precisions of the forward.
  }];
  let options = [
    Option<"werror", "werror", "bool", "false",
      "make a parameter that does not reach the loss an error, and an optimizer without a step">,
    Option<"forwardOnly", "forward-only", "bool", "false",
      "make the entry forward and build no step, for inference">,
    Option<"printSaved", "print-saved", "bool", "false",
      "remark on each value that is kept for the backward, with its bytes">
  ];
}
def TrackStatistics : Graph_Pass<"mpc-track-statistics"> {
  let summary = "Move running statistics towards those of each batch";
  let description = [{
    Ops that train by statistics of their batch (`RunningStatisticsOpInterface`)
    say what becomes of the running ones that they are given, which are states of
    the model. A step returns that as their next values; where two ops have
    the same, one moves them after the other. A state that no op moves stays.

    ```mlir
    %y = graph.batch_norm %x running %mean, %variance : ...
    // --mpc-track-statistics
    %m, %v = graph.channel_moments %x : ...
    %next = graph.moving_average %mean, %m momentum = 0.1 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    return ..., %next, ... // {graph.updates = "bn.running_mean"}
    ```
    Behind the forward and in front of the backward, so that ranks can average
    early. Run after `mpc-differentiate`; later stages accumulate, reduce and skip.
  }];
}
def VerifyAutodiff : Graph_Gate<"autodiff"> {
  let summary = "Check that each parameter has one gradient, in its type";
  let description = [{
    A step takes the forward's arguments, returns its results first, has one
    seed of ones for its loss, and one `graph.gradient` result per parameter that
    is not `graph.frozen`, of the parameter's type. No op of the backward, casts aside, has a narrower
    float type than its primal, which is the op at the same location. No op that
    stops gradients is left.
  }];
}

#endif // MPC_DIALECT_GRAPH_TRANSFORMS_PASSES_AUTODIFF_TD
