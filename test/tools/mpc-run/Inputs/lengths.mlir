func.func @model(%x: tensor<2x3x1xf32> {graph.input = "x"}, %lengths: tensor<2xi32> {graph.input = "lengths"})
    -> (tensor<2x3x1xf32> {graph.output = "y"}) {
  %w = graph.constant dense<1.0> : tensor<3x1xf32>
  %y:4 = graph.gru %x, %w, %w lengths %lengths batch_first : (tensor<2x3x1xf32>, tensor<3x1xf32>, tensor<3x1xf32>, tensor<2xi32>) -> (tensor<2x3x1xf32>, tensor<2x1xf32>, tensor<3x2x1xf32>, tensor<3x2x4xf32>)
  return %y#0 : tensor<2x3x1xf32>
}
