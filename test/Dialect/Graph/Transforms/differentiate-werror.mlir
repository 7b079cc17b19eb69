// RUN: mpc-opt %s --mpc-differentiate=werror=true --verify-diagnostics

func.func @unused(
    // expected-error @below {{parameter 'w' does not reach the loss}}
    %w: tensor<4xf32> {graph.parameter = "w"},
    %v: tensor<f32> {graph.parameter = "v"}) -> (tensor<f32> {graph.loss}) {
  return %v : tensor<f32>
}
