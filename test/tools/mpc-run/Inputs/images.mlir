// The loss is the mean of the images.
func.func @images(
    %x: tensor<4x1x3x3xf32> {graph.input = "x"},
    %w: tensor<1x1x1x1xf32> {graph.parameter = "w", graph.init = #graph.fill<1.0>})
    -> (tensor<f32> {graph.loss}, tensor<4x1x3x3xf32> {graph.output = "seen"})
    attributes {graph.training = #graph.training<
      optimizer = #graph.optimizer<name = "sgd", lr = 0.0>>} {
  %p = graph.mul %x, %w : (tensor<4x1x3x3xf32>, tensor<1x1x1x1xf32>) -> tensor<4x1x3x3xf32>
  %loss = graph.mean %p dims = [0, 1, 2, 3] : (tensor<4x1x3x3xf32>) -> tensor<f32>
  return %loss, %p : tensor<f32>, tensor<4x1x3x3xf32>
}
