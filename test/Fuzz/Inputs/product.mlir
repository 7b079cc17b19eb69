// A product and a convolution, each with a bias, and nothing else: their program for
// inference has no kernel.
func.func @product(%x: tensor<4x8xf32> {graph.input = "x"},
                   %w: tensor<8x3xf32> {graph.parameter = "w", graph.init = #graph.normal<0.0, 0.1>},
                   %b: tensor<3xf32> {graph.parameter = "b", graph.init = #graph.normal<0.0, 0.1>},
                   %i: tensor<2x6x5x4xf32> {graph.input = "i"},
                   %k: tensor<3x3x2x4xf32> {graph.parameter = "k", graph.init = #graph.normal<0.0, 0.1>},
                   %c: tensor<3xf32> {graph.parameter = "c", graph.init = #graph.normal<0.0, 0.1>})
    -> (tensor<4x3xf32> {graph.output = "y"}, tensor<2x3x4x3xf32> {graph.output = "z"}) {
  %y = graph.matmul %x, %w bias %b : (tensor<4x8xf32>, tensor<8x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %z = graph.convolution %i, %k bias %c strides = [2, 1] low = [1, 0] channels_last : (tensor<2x6x5x4xf32>, tensor<3x3x2x4xf32>, tensor<3xf32>) -> tensor<2x3x4x3xf32>
  return %y, %z : tensor<4x3xf32>, tensor<2x3x4x3xf32>
}
