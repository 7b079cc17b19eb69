// A product of 300 * 300 * 4 = 360,000, which f16 has no number for, read by
// ops that make it small again. The last product is fine.
func.func @overflow(
    %x: tensor<2x4xf32> {graph.input = "x"},
    %t: tensor<2x3xf32> {graph.input = "target"},
    %w: tensor<4x5xf32> {graph.parameter = "w", graph.init = #graph.fill<300.0>},
    %v: tensor<5x3xf32> {graph.parameter = "v", graph.init = #graph.fill<0.01>})
    -> (tensor<f32> {graph.loss}, tensor<2x3xf32> {graph.output = "y"})
    attributes {graph.training = #graph.training<
      optimizer = #graph.optimizer<name = "sgd", lr = 1.0e-12>>} {
  %0 = graph.matmul %x, %w : (tensor<2x4xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  %1 = graph.layer_norm %0 first_dim = 1 : (tensor<2x5xf32>) -> tensor<2x5xf32>
  %y = graph.matmul %1, %v : (tensor<2x5xf32>, tensor<5x3xf32>) -> tensor<2x3xf32>
  %loss = graph.mse %y, %t : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<f32>
  return %loss, %y : tensor<f32>, tensor<2x3xf32>
}
