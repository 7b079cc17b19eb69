// Recurrent layers in a net: an lstm in both directions, whose second one begins
// with a state and a cell, a gru over sequences of several lengths, one with the
// reset gate first, and an rnn that ends in its last state.
// RUN: %compare
// RUN: %compare --error-rule --steps=1 -- --precision=fp16 --loss-scale=256
// RUN: %compare --error-rule --steps=1 -- --precision=bf16 --autocast=torch --rounding=strict --loss-scale=dynamic
func.func @recurrent(
    %x: tensor<6x4x8xf32> {graph.input = "x"},
    %lengths: tensor<4xi32> {graph.input = "lengths", graph.classes = #graph.classes<count = 7>},
    %target: tensor<4x16xf32> {graph.input = "target"},
    %w1: tensor<64x8xf32> {graph.parameter = "w1", graph.init = #graph.normal<0.0, 0.3>},
    %u1: tensor<64x16xf32> {graph.parameter = "u1", graph.init = #graph.normal<0.0, 0.3>},
    %a1: tensor<64xf32> {graph.parameter = "a1", graph.init = #graph.normal<0.0, 0.3>},
    %b1: tensor<64xf32> {graph.parameter = "b1", graph.init = #graph.normal<0.0, 0.3>},
    %w2: tensor<64x8xf32> {graph.parameter = "w2", graph.init = #graph.normal<0.0, 0.3>},
    %u2: tensor<64x16xf32> {graph.parameter = "u2", graph.init = #graph.normal<0.0, 0.3>},
    %h2: tensor<4x16xf32> {graph.parameter = "h2", graph.init = #graph.normal<0.0, 0.3>},
    %c2: tensor<4x16xf32> {graph.parameter = "c2", graph.init = #graph.normal<0.0, 0.3>},
    %w3: tensor<48x32xf32> {graph.parameter = "w3", graph.init = #graph.normal<0.0, 0.3>},
    %u3: tensor<48x16xf32> {graph.parameter = "u3", graph.init = #graph.normal<0.0, 0.3>},
    %a3: tensor<48xf32> {graph.parameter = "a3", graph.init = #graph.normal<0.0, 0.3>},
    %b3: tensor<48xf32> {graph.parameter = "b3", graph.init = #graph.normal<0.0, 0.3>},
    %w4: tensor<48x16xf32> {graph.parameter = "w4", graph.init = #graph.normal<0.0, 0.3>},
    %u4: tensor<48x16xf32> {graph.parameter = "u4", graph.init = #graph.normal<0.0, 0.3>},
    %a4: tensor<48xf32> {graph.parameter = "a4", graph.init = #graph.normal<0.0, 0.3>},
    %b4: tensor<48xf32> {graph.parameter = "b4", graph.init = #graph.normal<0.0, 0.3>},
    %w5: tensor<16x16xf32> {graph.parameter = "w5", graph.init = #graph.normal<0.0, 0.3>},
    %u5: tensor<16x16xf32> {graph.parameter = "u5", graph.init = #graph.normal<0.0, 0.3>})
    -> (tensor<f32> {graph.loss}, tensor<4x16xf32> {graph.output = "y"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} {
  %f:6 = graph.lstm %x, %w1, %u1 bias %a1, %b1 : (tensor<6x4x8xf32>, tensor<64x8xf32>, tensor<64x16xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<6x4x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>, tensor<6x4x16xf32>, tensor<6x4x16xf32>, tensor<6x4x64xf32>)
  %r:6 = graph.lstm %x, %w2, %u2 initial %h2 cell %c2 onnx_order reverse : (tensor<6x4x8xf32>, tensor<64x8xf32>, tensor<64x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>) -> (tensor<6x4x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>, tensor<6x4x16xf32>, tensor<6x4x16xf32>, tensor<6x4x64xf32>)
  %both = graph.concat %f#0, %r#0 dim = 2 : (tensor<6x4x16xf32>, tensor<6x4x16xf32>) -> tensor<6x4x32xf32>
  %g:4 = graph.gru %both, %w3, %u3 bias %a3, %b3 lengths %lengths reverse : (tensor<6x4x32xf32>, tensor<48x32xf32>, tensor<48x16xf32>, tensor<48xf32>, tensor<48xf32>, tensor<4xi32>) -> (tensor<6x4x16xf32>, tensor<4x16xf32>, tensor<6x4x16xf32>, tensor<6x4x64xf32>)
  %t = graph.transpose %g#0 permutation = [1, 0, 2] : (tensor<6x4x16xf32>) -> tensor<4x6x16xf32>
  %k:4 = graph.gru %t, %w4, %u4 bias %a4, %b4 initial %g#1 reset_first lengths %lengths batch_first : (tensor<4x6x16xf32>, tensor<48x16xf32>, tensor<48x16xf32>, tensor<48xf32>, tensor<48xf32>, tensor<4x16xf32>, tensor<4xi32>) -> (tensor<4x6x16xf32>, tensor<4x16xf32>, tensor<6x4x16xf32>, tensor<6x4x48xf32>)
  %e:3 = graph.rnn %k#0, %w5, %u5 initial %k#1 batch_first : (tensor<4x6x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<4x16xf32>) -> (tensor<4x6x16xf32>, tensor<4x16xf32>, tensor<6x4x16xf32>)
  %y = graph.add %e#1, %f#1 : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  %loss = graph.mse %y, %target : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<f32>
  return %loss, %y : tensor<f32>, tensor<4x16xf32>
}
