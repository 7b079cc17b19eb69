// y = x w. Its gradient x^T (y - t) has, scaled, no number in f16 where x is
// large.
func.func @line(
    %x: tensor<2x4xf32> {graph.input = "x"},
    %t: tensor<2x3xf32> {graph.input = "t"},
    %w: tensor<4x3xf32> {graph.parameter = "w", graph.init = #graph.fill<0.125>})
    -> (tensor<f32> {graph.loss})
    attributes {graph.training = #graph.training<
      precision = "fp16",
      loss_scale = #graph.loss_scale<mode = "dynamic", init = 1024.0, interval = 3>,
      optimizer = #graph.optimizer<name = "sgd", lr = 0.01>>} {
  %y = graph.matmul %x, %w : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  %loss = graph.mse %y, %t : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
