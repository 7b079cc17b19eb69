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
