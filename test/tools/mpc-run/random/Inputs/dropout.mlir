// Two dropouts of one value are two draws; so that nothing moves, the rate is 0.
func.func @model(%x: tensor<8x12xf32> {graph.input = "x"},
                 %w: tensor<8x12xf32> {graph.parameter = "w", graph.init = #graph.fill<1.0>})
    -> (tensor<f32> {graph.loss}, tensor<8x12xf32> {graph.output = "a"}, tensor<8x12xf32> {graph.output = "b"}) {
  %h = graph.mul %x, %w : (tensor<8x12xf32>, tensor<8x12xf32>) -> tensor<8x12xf32>
  %a = graph.dropout %h ratio = 0.3 : (tensor<8x12xf32>) -> tensor<8x12xf32>
  %b = graph.dropout %h ratio = 0.3 : (tensor<8x12xf32>) -> tensor<8x12xf32>
  %two = graph.constant dense<2.0> : tensor<f32>
  %0 = graph.mul %b, %two : (tensor<8x12xf32>, tensor<f32>) -> tensor<8x12xf32>
  %1 = graph.add %a, %0 : (tensor<8x12xf32>, tensor<8x12xf32>) -> tensor<8x12xf32>
  %loss = graph.sum %1 dims = [0, 1] : (tensor<8x12xf32>) -> tensor<f32>
  return %loss, %a, %b : tensor<f32>, tensor<8x12xf32>, tensor<8x12xf32>
}
