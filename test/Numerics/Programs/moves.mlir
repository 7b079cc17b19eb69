// Slices, concatenation, padding and broadcasts; gelu, sigmoid, tanh; AdamW.
// RUN: %compare
// RUN: %compare --error-rule --steps=1 -- --precision=fp16 --loss-scale=dynamic --scale-init=256
func.func @moves(
    %x: tensor<9x33xf32> {graph.input = "x"},
    %target: tensor<9x20xf32> {graph.input = "target"},
    %w1: tensor<17x12xf32> {graph.parameter = "w1", graph.init = #graph.normal<0.0, 0.3>},
    %w2: tensor<16x8xf32> {graph.parameter = "w2", graph.init = #graph.normal<0.0, 0.3>},
    %p: tensor<1x20xf32> {graph.parameter = "p", graph.init = #graph.zeros})
    -> (tensor<f32> {graph.loss}, tensor<9x20xf32> {graph.output = "y"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "adamw", lr = 0.01>>} {
  %a0 = graph.slice %x offsets = [0, 0] sizes = [9, 17] : (tensor<9x33xf32>) -> tensor<9x17xf32>
  %b0 = graph.slice %x offsets = [0, 17] sizes = [9, 16] : (tensor<9x33xf32>) -> tensor<9x16xf32>
  %a1 = graph.matmul %a0, %w1 : (tensor<9x17xf32>, tensor<17x12xf32>) -> tensor<9x12xf32>
  %b1 = graph.matmul %b0, %w2 : (tensor<9x16xf32>, tensor<16x8xf32>) -> tensor<9x8xf32>
  %a2 = graph.gelu %a1 kind = <tanh> : tensor<9x12xf32>
  %b2 = graph.sigmoid %b1 : tensor<9x8xf32>
  %c = graph.concat %b2, %a2, %b1 dim = 1 : (tensor<9x8xf32>, tensor<9x12xf32>, tensor<9x8xf32>) -> tensor<9x28xf32>
  %d = graph.pad %c low = [1, 0] high = [0, 2] : (tensor<9x28xf32>) -> tensor<10x30xf32>
  %e = graph.slice %d offsets = [0, 10] sizes = [9, 20] : (tensor<10x30xf32>) -> tensor<9x20xf32>
  %q = graph.broadcast %p : (tensor<1x20xf32>) -> tensor<9x20xf32>
  %f = graph.add %e, %q : (tensor<9x20xf32>, tensor<9x20xf32>) -> tensor<9x20xf32>
  %y = graph.tanh %f : tensor<9x20xf32>
  %loss = graph.mse %y, %target : (tensor<9x20xf32>, tensor<9x20xf32>) -> tensor<f32>
  return %loss, %y : tensor<f32>, tensor<9x20xf32>
}
