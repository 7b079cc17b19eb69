// Attention whose weights are its outputs: all scores are 0, and the values of
// the keys are the rows of an identity.
func.func @model(%q: tensor<2x40x6x8xf32> {graph.input = "q"}, %v: tensor<2x40x3x40xf32> {graph.input = "v"},
                 %w: tensor<2x40x3x40xf32> {graph.parameter = "w", graph.init = #graph.fill<1.0>})
    -> (tensor<f32> {graph.loss}, tensor<2x40x6x40xf32> {graph.output = "weights"}) {
  %k = graph.slice %q offsets = [0, 0, 0, 0] sizes = [2, 40, 3, 8] : (tensor<2x40x6x8xf32>) -> tensor<2x40x3x8xf32>
  %0 = graph.mul %v, %w : (tensor<2x40x3x40xf32>, tensor<2x40x3x40xf32>) -> tensor<2x40x3x40xf32>
  %y, %lse = graph.scaled_dot_product_attention %q, %k, %0 dropout = 0.3 : (tensor<2x40x6x8xf32>, tensor<2x40x3x8xf32>, tensor<2x40x3x40xf32>) -> (tensor<2x40x6x40xf32>, tensor<2x6x40xf32>)
  %loss = graph.sum %y dims = [0, 1, 2, 3] : (tensor<2x40x6x40xf32>) -> tensor<f32>
  return %loss, %y : tensor<f32>, tensor<2x40x6x40xf32>
}
