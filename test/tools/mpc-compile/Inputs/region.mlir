func.func @m(%x: tensor<64x32xf32> {graph.input = "x"},
             %w: tensor<32x32xf32> {graph.parameter = "w", graph.init = #graph.normal<0.0, 0.1>})
    -> (tensor<f32> {graph.loss})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} {
  %a = graph.matmul %x, %w : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
  %y = graph.autocast_region <name = "layer", recompute = true> -> tensor<64x32xf32> {
    %0 = graph.tanh %a : tensor<64x32xf32>
    %1 = graph.matmul %0, %w : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
    %2 = graph.gelu %1 : tensor<64x32xf32>
    %3 = graph.matmul %2, %w : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
    graph.yield %3 : tensor<64x32xf32>
  }
  %e = graph.exp %y : tensor<64x32xf32>
  %m = graph.matmul %e, %w : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
  %q = graph.mul %m, %m : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  %loss = graph.mean %q dims = [0, 1] : (tensor<64x32xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
