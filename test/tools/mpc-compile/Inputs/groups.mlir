func.func @model(%x: tensor<4x3xf32> {graph.input = "x"}, %w: tensor<3x2xf32> {graph.parameter = "body.weight", graph.init = #graph.fill<0.5>},
                 %b: tensor<2xf32> {graph.parameter = "body.bias", graph.init = #graph.zeros},
                 %v: tensor<2x2xf32> {graph.parameter = "head.weight", graph.init = #graph.fill<0.5>},
                 %c: tensor<2xf32> {graph.parameter = "head.bias", graph.init = #graph.zeros}) -> (tensor<f32> {graph.loss}) {
  %0 = graph.matmul %x, %w : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
  %1 = graph.add %0, %b : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  %2 = graph.tanh %1 : tensor<4x2xf32>
  %3 = graph.matmul %2, %v : (tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  %4 = graph.add %3, %c : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  %loss = graph.mean %4 dims = [0, 1] : (tensor<4x2xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
