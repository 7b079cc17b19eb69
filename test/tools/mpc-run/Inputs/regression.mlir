// The mean of x times w, which is 1 at first.
func.func @regression(
    %x: tensor<6x2xf32> {graph.input = "x"},
    %w: tensor<2xf32> {graph.parameter = "w", graph.init = #graph.fill<1.0>})
    -> (tensor<f32> {graph.loss}) {
  %0 = graph.mul %x, %w : (tensor<6x2xf32>, tensor<2xf32>) -> tensor<6x2xf32>
  %1 = graph.mean %0 dims = [0, 1] : (tensor<6x2xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}
