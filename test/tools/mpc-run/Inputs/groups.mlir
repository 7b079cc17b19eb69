// A model whose parameters have a group of their own.
func.func @groups(%x: tensor<4x2xf32> {graph.input = "x"},
                  %w: tensor<2xf32> {graph.parameter = "w", graph.init = #graph.fill<1.0>},
                  %b: tensor<2xf32> {graph.parameter = "b", graph.init = #graph.zeros})
    -> (tensor<f32> {graph.loss})
    attributes {graph.training = #graph.training<
      loss_scale = #graph.loss_scale<mode = "dynamic">, optimizer = #graph.optimizer<name = "sgd", lr = 0.1>,
      groups = [#graph.parameter_group<name = "biases", pattern = "b", optimizer = #graph.optimizer<name = "sgd", lr = 0.2>>]>} {
  %0 = graph.mul %x, %w : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  %1 = graph.add %0, %b : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  %loss = graph.mean %1 dims = [0, 1] : (tensor<4x2xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
