// One library call, and no code of its own.
func.func @product(%x: tensor<4x3xf32> {graph.input = "x"},
                   %w: tensor<3x2xf32> {graph.parameter = "w", graph.init = #graph.zeros})
    -> (tensor<4x2xf32> {graph.output = "y"}) {
  %0 = graph.matmul %x, %w : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}
