// Two losses with a scale each.
func.func @losses(%x: tensor<8x2xf32> {graph.input = "x"},
                  %w: tensor<2xf32> {graph.parameter = "w", graph.init = #graph.fill<1.0>})
    -> (tensor<f32> {graph.loss = "main"}, tensor<f32> {graph.loss = "aux"})
    attributes {graph.training = #graph.training<
      loss_scale = #graph.loss_scale<mode = "dynamic", scope = "per_loss">, optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} {
  %0 = graph.mul %x, %w : (tensor<8x2xf32>, tensor<2xf32>) -> tensor<8x2xf32>
  %1 = graph.mul %0, %0 : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
  %main = graph.mean %1 dims = [0, 1] : (tensor<8x2xf32>) -> tensor<f32>
  %2 = graph.mul %w, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %aux = graph.mean %2 dims = [0] : (tensor<2xf32>) -> tensor<f32>
  return %main, %aux : tensor<f32>, tensor<f32>
}
