// A region that is off, one of another type, a custom op with a word and one
// without, trained.
// RUN: %compare
// RUN: %compare --rounded --rtol=0.05 --atol=0.02 -- --precision=fp16 --loss-scale=16
// RUN: %compare --rounded --rtol=0.05 --atol=0.02 -- --precision=fp16 --loss-scale=16 --autocast=torch
func.func private @swish(%x: tensor<8x16xf32>, %beta: tensor<f32>) -> tensor<8x16xf32> {
  %0 = graph.mul %x, %beta : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
  %1 = graph.sigmoid %0 : tensor<8x16xf32>
  %2 = graph.mul %x, %1 : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}
func.func private @linear(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>, %b: tensor<16xf32>) -> tensor<8x16xf32> {
  %0 = graph.matmul %x, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %1 = graph.add %0, %b : (tensor<8x16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}
func.func @regions(
    %x: tensor<8x16xf32> {graph.input = "x"},
    %t: tensor<8x16xf32> {graph.input = "t"},
    %u: tensor<16x16xf32> {graph.parameter = "u", graph.init = #graph.normal<0.0, 0.2>},
    %v: tensor<16x16xf32> {graph.parameter = "v", graph.init = #graph.normal<0.0, 0.2>},
    %b: tensor<16xf32> {graph.parameter = "b", graph.init = #graph.fill<0.1>},
    %beta: tensor<f32> {graph.parameter = "beta", graph.init = #graph.fill<1.0>})
    -> (tensor<f32> {graph.loss}, tensor<8x16xf32> {graph.output = "y"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "adamw", lr = 0.01>>} {
  %0 = graph.custom @linear(%x, %u, %b) policy = "Allow" : (tensor<8x16xf32>, tensor<16x16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  %1 = graph.custom @swish(%0, %beta) policy = "DenyIO" : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
  %2 = graph.autocast_region <name = "body", dtype = bf16> -> tensor<8x16xf32> {
    %3 = graph.custom @linear(%1, %v, %b) : (tensor<8x16xf32>, tensor<16x16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
    %4 = graph.autocast_region <name = "exact", enabled = false> -> tensor<8x16xf32> {
      %5 = graph.matmul %3, %v : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
      %6 = graph.tanh %5 : tensor<8x16xf32>
      graph.yield %6 : tensor<8x16xf32>
    }
    graph.yield %4 : tensor<8x16xf32>
  }
  %loss = graph.mse %2, %t : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<f32>
  return %loss, %2 : tensor<f32>, tensor<8x16xf32>
}
