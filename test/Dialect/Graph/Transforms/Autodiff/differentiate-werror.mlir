// RUN: mpc-opt %s --mpc-differentiate=werror=true --split-input-file --verify-diagnostics

func.func @unused(
    // expected-error @below {{parameter 'w' does not reach the loss}}
    %w: tensor<4xf32> {graph.parameter = "w"},
    %v: tensor<f32> {graph.parameter = "v"}) -> (tensor<f32> {graph.loss}) {
  return %v : tensor<f32>
}

// -----

func.func @several_unused(
    // expected-error @below {{2 parameters do not reach the loss: 'w', 'u'}}
    %w: tensor<4xf32> {graph.parameter = "w"},
    %v: tensor<f32> {graph.parameter = "v"},
    %u: tensor<2x3xf32> {graph.parameter = "u"}) -> (tensor<f32> {graph.loss}) {
  return %v : tensor<f32>
}
