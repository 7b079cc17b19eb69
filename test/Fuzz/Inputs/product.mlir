// A product and nothing else: its program for inference has no kernel.
func.func @product(%x: tensor<4x8xf32> {graph.input = "x"},
                   %w: tensor<8x3xf32> {graph.parameter = "w", graph.init = #graph.normal<0.0, 0.1>})
    -> (tensor<4x3xf32> {graph.output = "y"}) {
  %y = graph.matmul %x, %w : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}
