func.func @f(%x: tensor<4x6xf32> {graph.input = "x"}) -> (tensor<4x6xf32> {graph.output = "y"}) {
  %0 = graph.relu %x : tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
