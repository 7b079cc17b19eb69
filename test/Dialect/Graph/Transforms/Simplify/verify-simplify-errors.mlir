// RUN: mpc-opt %s --mpc-verify-simplify --split-input-file --verify-diagnostics

func.func @dead(%x: tensor<f32> {graph.input = "x"}) -> (tensor<f32> {graph.output = "y"}) attributes {graph.entry = "forward", graph.training = #graph.training<>} {
  // expected-error @+1 {{expected every op to be used, but nothing uses the results of 'graph.neg'}}
  %0 = graph.neg %x : tensor<f32>
  return %x : tensor<f32>
}

// -----

func.func @same_type(%x: tensor<f32> {graph.input = "x"}) -> (tensor<f32> {graph.output = "y"}) attributes {graph.entry = "forward", graph.training = #graph.training<>} {
  // expected-error @+1 {{expected a cast to change the type, but got 'f32' to 'f32'}}
  %0 = graph.cast %x because "no reason" : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @round_trip(%x: tensor<f16> {graph.input = "x"}) -> (tensor<f16> {graph.output = "y"}) attributes {graph.entry = "forward", graph.training = #graph.training<>} {
  // expected-note @+1 {{the first half}}
  %0 = graph.cast %x because "wide" : (tensor<f16>) -> tensor<f32>
  // expected-error @+1 {{expected the exact round trip 'f16' to 'f32' to 'f16' to be folded, but it is still here}}
  %1 = graph.cast %0 because "narrow" : (tensor<f32>) -> tensor<f16>
  return %1 : tensor<f16>
}

// -----

// expected-error @+1 {{expected entry 'forward' to have 'graph.training', which says how to round, but got none}}
func.func @silent(%x: tensor<f16> {graph.input = "x"}) -> (tensor<f16> {graph.output = "y"}) attributes {graph.entry = "forward"} {
  return %x : tensor<f16>
}

// -----

// The user's casts and a round trip that rounds are nobody's error.
func.func @fine(%x: tensor<f32> {graph.input = "x"}) -> (tensor<f32> {graph.output = "y"}) attributes {graph.entry = "forward", graph.training = #graph.training<>} {
  %0 = graph.cast %x : (tensor<f32>) -> tensor<f32>
  %1 = graph.cast %0 because "narrow" : (tensor<f32>) -> tensor<f16>
  %2 = graph.cast %1 because "wide" : (tensor<f16>) -> tensor<f32>
  return %2 : tensor<f32>
}
