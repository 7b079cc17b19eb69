// One input of labels for each of two losses, and one that no loss reads as labels.
func.func @labels(%x: tensor<4x3xf32> {graph.input = "x"}, %first: tensor<4xi32> {graph.input = "first"},
                %second: tensor<4xi32> {graph.input = "second"}, %plain: tensor<4xi32> {graph.input = "plain"},
                %w: tensor<3xf32> {graph.parameter = "w", graph.init = #graph.zeros})
    -> (tensor<f32> {graph.loss}, tensor<4x3xf32> {graph.output = "scores"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} {
  %scores = graph.add %x, %w : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %0 = graph.cross_entropy %scores, %first ignore_index = -1 : (tensor<4x3xf32>, tensor<4xi32>) -> tensor<f32>
  %1 = graph.cross_entropy %scores, %second ignore_index = -2 : (tensor<4x3xf32>, tensor<4xi32>) -> tensor<f32>
  %2 = graph.cast %plain : (tensor<4xi32>) -> tensor<4xf32>
  %3 = graph.mean %2 dims = [0] : (tensor<4xf32>) -> tensor<f32>
  %4 = graph.add %0, %1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %loss = graph.add %4, %3 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %loss, %scores : tensor<f32>, tensor<4x3xf32>
}
