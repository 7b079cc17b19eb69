// The loss is the mean of the samples, which are numbers.
func.func @numbers(
    %x: tensor<2x1xf32> {graph.input = "x"},
    %w: tensor<1x1xf32> {graph.parameter = "w", graph.init = #graph.fill<1.0>})
    -> (tensor<f32> {graph.loss})
    attributes {graph.training = #graph.training<
      optimizer = #graph.optimizer<name = "sgd", lr = 0.0>>} {
  %p = graph.mul %x, %w : (tensor<2x1xf32>, tensor<1x1xf32>) -> tensor<2x1xf32>
  %loss = graph.mean %p dims = [0, 1] : (tensor<2x1xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
