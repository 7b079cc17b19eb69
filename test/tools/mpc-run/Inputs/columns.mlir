// Outputs with the names of columns of metrics, and a parameter whose gradient
// reads like the rate of a group.
func.func @columns(%x: tensor<8x2xf32> {graph.input = "x"},
                   %w: tensor<f32> {graph.parameter = "a.lr", graph.init = #graph.fill<3.0>})
    -> (tensor<f32> {graph.loss}, tensor<f32> {graph.output = "ms"}, tensor<f32> {graph.output = "epoch"},
        tensor<f32> {graph.output = "retry"}, tensor<f32> {graph.output = "output.ms"},
        tensor<f32> {graph.output = "eval_loss"})
    attributes {graph.training = #graph.training<
      output_gradients = ".*", optimizer = #graph.optimizer<name = "sgd", lr = 0.0>>} {
  %0 = graph.mul %x, %w : (tensor<8x2xf32>, tensor<f32>) -> tensor<8x2xf32>
  %loss = graph.mean %0 dims = [0, 1] : (tensor<8x2xf32>) -> tensor<f32>
  %nine = graph.mul %w, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %many = graph.mul %nine, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %loss, %w, %nine, %many, %nine, %many : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}
