// RUN: mpc-opt %s --mpc-drop-loss --verify-diagnostics

// What a model predicts is for the model to say.
// expected-error @+1 {{expected an output beside the loss, which is dropped: mark what the model predicts as a result with graph.output = "NAME"}}
func.func @model(%x: tensor<4x3xf32> {graph.input = "x"}, %t: tensor<4x3xf32> {graph.input = "t"})
    -> (tensor<f32> {graph.loss}) {
  %loss = graph.mse %x, %t : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
