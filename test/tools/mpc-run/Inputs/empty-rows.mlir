// Of six queries the last two see none of the three keys.
func.func @empty_rows(%x: tensor<1x6x1x4xf32> {graph.input = "x"},
                      %w: tensor<4xf32> {graph.parameter = "w", graph.init = #graph.fill<0.5>})
    -> (tensor<f32> {graph.loss})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} {
  %q = graph.mul %x, %w : (tensor<1x6x1x4xf32>, tensor<4xf32>) -> tensor<1x6x1x4xf32>
  %k = graph.slice %q offsets = [0, 0, 0, 0] sizes = [1, 3, 1, 4] : (tensor<1x6x1x4xf32>) -> tensor<1x3x1x4xf32>
  %y, %lse = graph.scaled_dot_product_attention %q, %k, %k window = 2 : (tensor<1x6x1x4xf32>, tensor<1x3x1x4xf32>, tensor<1x3x1x4xf32>) -> (tensor<1x6x1x4xf32>, tensor<1x1x6xf32>)
  %0 = graph.mul %y, %y : (tensor<1x6x1x4xf32>, tensor<1x6x1x4xf32>) -> tensor<1x6x1x4xf32>
  %loss = graph.mean %0 dims = [0, 1, 2, 3] : (tensor<1x6x1x4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
