// The gradient of w is the sample.
func.func @flow(
    %x: tensor<1x3xf32> {graph.input = "x"},
    %w: tensor<1x3xf32> {graph.parameter = "w", graph.init = #graph.fill<0.0>})
    -> (tensor<f32> {graph.loss})
    attributes {graph.training = #graph.training<
      optimizer = #graph.optimizer<name = "sgd", lr = 1.0>,
      output_gradients = "w">} {
  %p = graph.mul %x, %w : (tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<1x3xf32>
  %loss = graph.sum %p dims = [0, 1] : (tensor<1x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
