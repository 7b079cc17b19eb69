// Tells which windows it was given, and learns what labels are of tokens.
func.func @windows(
    %tokens: tensor<4x5xi32> {graph.input = "tokens"},
    %labels: tensor<4x5xi32> {graph.input = "labels"},
    %w: tensor<f32> {graph.parameter = "w", graph.init = #graph.fill<1.0>})
    -> (tensor<f32> {graph.loss}, tensor<4x5xf32> {graph.output = "tokens_seen"}, tensor<4x5xf32> {graph.output = "labels_seen"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 1.0e-5>>} {
  %0 = graph.cast %tokens : (tensor<4x5xi32>) -> tensor<4x5xf32>
  %1 = graph.cast %labels : (tensor<4x5xi32>) -> tensor<4x5xf32>
  %2 = graph.mul %0, %w : (tensor<4x5xf32>, tensor<f32>) -> tensor<4x5xf32>
  %loss = graph.mse %2, %1 : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<f32>
  return %loss, %0, %1 : tensor<f32>, tensor<4x5xf32>, tensor<4x5xf32>
}
