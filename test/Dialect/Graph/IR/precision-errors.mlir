// RUN: mpc-opt %s --verify-diagnostics --split-input-file

func.func @cast_c1_shape(%a: tensor<4xf32>) {
  // expected-error@+1 {{requires the same shape for all operands and results}}
  %0 = graph.cast %a : (tensor<4xf32>) -> tensor<5xf16>
  return
}

// -----

func.func @cast_to_f8(%a: tensor<4xf32>) {
  // expected-error@+1 {{result #0 must be static, non-empty tensor of f64, f32, f16, bf16, i64, i32 or i1 elements (f8 is not supported), but got 'tensor<4xf8E4M3FN>'}}
  %0 = graph.cast %a : (tensor<4xf32>) -> tensor<4xf8E4M3FN>
  return
}

// -----

func.func @kahan_round_c1_types(%a: tensor<4xbf16>, %b: tensor<4xf32>, %c: tensor<4xf16>) {
  // expected-error@+1 {{failed to verify that all of {parameter, compensation, next_parameter, next_compensation} have same type}}
  %0:2 = graph.kahan_round %a, %b, %c : (tensor<4xbf16>, tensor<4xf32>, tensor<4xf16>) -> (tensor<4xbf16>, tensor<4xbf16>)
  return
}

// -----

func.func @kahan_round_c2_shape(%a: tensor<4xbf16>, %b: tensor<5xf32>) {
  // expected-error@+1 {{failed to verify that all of {parameter, next} have same shape}}
  %0:2 = graph.kahan_round %a, %b, %a : (tensor<4xbf16>, tensor<5xf32>, tensor<4xbf16>) -> (tensor<4xbf16>, tensor<4xbf16>)
  return
}

// -----

func.func @stochastic_round_c1_shape(%a: tensor<4xf32>, %b: tensor<i32>) {
  // expected-error@+1 {{failed to verify that all of {input, result} have same shape}}
  %0 = graph.stochastic_round %a step %b seed %b stream = 0 : (tensor<4xf32>, tensor<i32>, tensor<i32>) -> tensor<5xbf16>
  return
}

// -----

func.func @random_round_c1_shape(%a: tensor<4xf32>, %b: tensor<5xi32>) {
  // expected-error@+1 {{failed to verify that all of {input, bits, result} have same shape}}
  %0 = graph.random_round %a, %b : (tensor<4xf32>, tensor<5xi32>) -> tensor<4xbf16>
  return
}
