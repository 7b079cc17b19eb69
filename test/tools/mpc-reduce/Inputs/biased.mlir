// A layer whose bias has nothing to do with what is looked for.
func.func @layer(%x: tensor<4x8xf32> {graph.input = "x"}, %w: tensor<8x2xf32> {graph.parameter = "w"},
    %b: tensor<2xf32> {graph.parameter = "b"}) -> (tensor<4x2xf32> {graph.output = "y"}) {
  %half = graph.constant dense<0.5> : tensor<f32>
  %0 = graph.mul %b, %half : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = graph.matmul %x, %w bias %0 : (tensor<4x8xf32>, tensor<8x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}
