// Outputs that read like those of parameter groups, beside a group that reads
// like such an output in metrics.
func.func @like_groups(%x: tensor<8x2xf32> {graph.input = "x"},
                       %w: tensor<f32> {graph.parameter = "w", graph.init = #graph.fill<3.0>},
                       %b: tensor<f32> {graph.parameter = "b", graph.init = #graph.fill<1.0>})
    -> (tensor<f32> {graph.loss}, tensor<f32> {graph.output = "taxi.lr"}, tensor<f32> {graph.output = "other.step"})
    attributes {graph.training = #graph.training<
      optimizer = #graph.optimizer<name = "sgd", lr = 0.5>,
      groups = [#graph.parameter_group<name = "output", pattern = "b", optimizer = #graph.optimizer<name = "sgd", lr = 0.25>>]>} {
  %0 = graph.mul %x, %w : (tensor<8x2xf32>, tensor<f32>) -> tensor<8x2xf32>
  %1 = graph.add %0, %b : (tensor<8x2xf32>, tensor<f32>) -> tensor<8x2xf32>
  %loss = graph.mean %1 dims = [0, 1] : (tensor<8x2xf32>) -> tensor<f32>
  %nine = graph.mul %w, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %loss, %w, %nine : tensor<f32>, tensor<f32>, tensor<f32>
}
