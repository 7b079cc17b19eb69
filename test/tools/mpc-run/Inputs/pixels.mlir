// Classes of 4 places, which are dim 1 of the logits.
func.func @pixels(%x: tensor<2x3x4xf32> {graph.input = "x"}, %label: tensor<2x4xi64> {graph.input = "label"},
                  %w: tensor<4xf32> {graph.parameter = "w", graph.init = #graph.fill<1.0>})
    -> (tensor<f32> {graph.loss}, tensor<2x3x4xf32> {graph.output = "logits"})
    attributes {graph.training = #graph.training<precision = "fp32", optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} {
  %logits = graph.mul %x, %w : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  %rows = graph.transpose %logits permutation = [0, 2, 1] : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
  %loss = graph.cross_entropy %rows, %label ignore_index = -1 : (tensor<2x4x3xf32>, tensor<2x4xi64>) -> tensor<f32>
  return %loss, %logits : tensor<f32>, tensor<2x3x4xf32>
}
