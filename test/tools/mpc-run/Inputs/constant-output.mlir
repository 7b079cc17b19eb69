// An output that no input reaches: samples are for the loss alone.
func.func @constant_output(%x: tensor<4x6xf32> {graph.input = "x"},
                           %w: tensor<6xf32> {graph.parameter = "w", graph.init = #graph.normal<0.0, 0.5>})
    -> (tensor<f32> {graph.loss}, tensor<6xf32> {graph.output = "o"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} {
  %0 = graph.mul %x, %w : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
  %loss = graph.mean %0 dims = [0, 1] : (tensor<4x6xf32>) -> tensor<f32>
  %o = graph.tanh %w : tensor<6xf32>
  return %loss, %o : tensor<f32>, tensor<6xf32>
}
