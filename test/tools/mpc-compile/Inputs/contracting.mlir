func.func @m(%x: tensor<4x8xf32> {graph.input = "x"}, %w: tensor<9x4xf32> {graph.parameter = "w"})
    -> (tensor<4x4xf32> {graph.output = "y"}) {
  %y = graph.matmul %x, %w : (tensor<4x8xf32>, tensor<9x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}
