// The gradient of w is the mean of x: with x of 1e30 it is finite in f32, but not
// times 2^40, and its square is not.
func.func @huge(%x: tensor<4x2xf32> {graph.input = "x"},
                %w: tensor<2xf32> {graph.parameter = "w", graph.init = #graph.fill<1.0>})
    -> (tensor<f32> {graph.loss})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.0>>} {
  %0 = graph.mul %x, %w : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  %loss = graph.mean %0 dims = [0, 1] : (tensor<4x2xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
