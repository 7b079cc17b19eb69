// Two products: 300 * 300 * 4 = 360,000, which f16 has no number for, and
// 300 * 0.01 * 4 = 12.
func.func @overflow(
    %x: tensor<2x4xf32> {graph.input = "x"},
    %s: tensor<2x5xf32> {graph.input = "large"},
    %t: tensor<2x3xf32> {graph.input = "small"},
    %w: tensor<4x5xf32> {graph.parameter = "w", graph.init = #graph.fill<300.0>},
    %v: tensor<4x3xf32> {graph.parameter = "v", graph.init = #graph.fill<0.01>})
    -> (tensor<f32> {graph.loss}, tensor<2x3xf32> {graph.output = "y"})
    attributes {graph.training = #graph.training<
      optimizer = #graph.optimizer<name = "sgd", lr = 1.0e-12>>} {
  %0 = graph.matmul %x, %w : (tensor<2x4xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  %1 = graph.matmul %x, %v : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  %2 = graph.mse %0, %s : (tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<f32>
  %3 = graph.mse %1, %t : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<f32>
  %loss = graph.add %2, %3 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %loss, %1 : tensor<f32>, tensor<2x3xf32>
}
