// Logarithms of negative numbers are NaN: through x they reach the gradient of w
// (no element of a row equals a maximum that is NaN), through z the loss alone.
func.func @m(%x: tensor<4x3xf32> {graph.input = "x"}, %z: tensor<4xf32> {graph.input = "z"},
             %w: tensor<3xf32> {graph.parameter = "w", graph.init = #graph.fill<1.0>})
    -> (tensor<f32> {graph.loss}) {
  %0 = graph.add %x, %w : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %1 = graph.log %0 : tensor<4x3xf32>
  %2 = graph.max %1 dims = [1] : (tensor<4x3xf32>) -> tensor<4xf32>
  %3 = graph.log %z : tensor<4xf32>
  %4 = graph.add %2, %3 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = graph.sum %4 dims = [0] : (tensor<4xf32>) -> tensor<f32>
  return %5 : tensor<f32>
}
