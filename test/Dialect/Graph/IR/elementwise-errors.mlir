// RUN: mpc-opt %s --verify-diagnostics --split-input-file

func.func @add_c1_shapes(%a: tensor<4x8xf32>, %b: tensor<5xf32>) {
  // expected-error@+2 {{expected operand shapes to broadcast, but got 4x8 and 5}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.add %a, %b : (tensor<4x8xf32>, tensor<5xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @add_c1_result(%a: tensor<4x8xf32>, %b: tensor<8xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<4x8xf32>' are incompatible with return type(s) of operation 'tensor<8xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.add %a, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @add_c2_types(%a: tensor<8xf32>, %b: tensor<8xf16>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.add %a, %b : (tensor<8xf32>, tensor<8xf16>) -> tensor<8xf32>
  return
}

// -----

func.func @add_f8(%a: tensor<8xf8E5M2>) {
  // expected-error@+1 {{operand #0 must be static, non-empty tensor of f64, f32, f16, bf16, i64 or i32 elements (f8 is not supported), but got 'tensor<8xf8E5M2>'}}
  %0 = graph.add %a, %a : (tensor<8xf8E5M2>, tensor<8xf8E5M2>) -> tensor<8xf8E5M2>
  return
}

// -----

func.func @exp_f8(%a: tensor<8xf8E4M3FN>) {
  // expected-error@+1 {{operand #0 must be static, non-empty tensor of f64, f32, f16 or bf16 elements (f8 is not supported), but got 'tensor<8xf8E4M3FN>'}}
  %0 = graph.exp %a : tensor<8xf8E4M3FN>
  return
}

// -----

func.func @exp_of_integers(%a: tensor<8xi32>) {
  // expected-error@+1 {{operand #0 must be static, non-empty tensor of f64, f32, f16 or bf16 elements (f8 is not supported), but got 'tensor<8xi32>'}}
  %0 = graph.exp %a : tensor<8xi32>
  return
}

// -----

func.func @exp_empty(%a: tensor<0x4xf32>) {
  // expected-error@+1 {{operand #0 must be static, non-empty tensor of f64, f32, f16 or bf16 elements (f8 is not supported), but got 'tensor<0x4xf32>'}}
  %0 = graph.exp %a : tensor<0x4xf32>
  return
}

// -----

func.func @exp_dynamic(%a: tensor<?xf32>) {
  // expected-error@+1 {{operand #0 must be static, non-empty tensor of f64, f32, f16 or bf16 elements (f8 is not supported), but got 'tensor<?xf32>'}}
  %0 = graph.exp %a : tensor<?xf32>
  return
}

// -----

func.func @div_of_integers(%a: tensor<8xi32>) {
  // expected-error@+1 {{operand #0 must be static, non-empty tensor of f64, f32, f16 or bf16 elements (f8 is not supported), but got 'tensor<8xi32>'}}
  %0 = graph.div %a, %a : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  return
}

// -----

func.func @compare_c1_shapes(%a: tensor<4xf32>, %b: tensor<5xf32>) {
  // expected-error@+2 {{expected operand shapes to broadcast, but got 4 and 5}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.compare <lt> %a, %b : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xi1>
  return
}

// -----

func.func @compare_c2_types(%a: tensor<4xf32>, %b: tensor<4xf16>) {
  // expected-error@+1 {{requires the same element type for all operands}}
  %0 = graph.compare <lt> %a, %b : (tensor<4xf32>, tensor<4xf16>) -> tensor<4xi1>
  return
}

// -----

func.func @select_c1_shapes(%a: tensor<3xi1>, %b: tensor<4xf32>) {
  // expected-error@+2 {{expected operand shapes to broadcast, but got 3 and 4 and 4}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.select %a, %b, %b : (tensor<3xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @select_c2_types(%a: tensor<4xi1>, %b: tensor<4xf32>, %c: tensor<4xf16>) {
  // expected-error@+2 {{expected both values to have one element type, but got 'f32' and 'f16'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.select %a, %b, %c : (tensor<4xi1>, tensor<4xf32>, tensor<4xf16>) -> tensor<4xf32>
  return
}

// -----

func.func @select_condition(%a: tensor<4xi32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{operand #0 must be static, non-empty tensor of 1-bit signless integer elements, but got 'tensor<4xi32>'}}
  %0 = graph.select %a, %b, %b : (tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @philox_c1_shapes(%a: tensor<4xi32>, %b: tensor<5xi32>, %c: tensor<i32>) {
  // expected-error@+2 {{expected operand shapes to broadcast, but got}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:4 = graph.philox %a, %b, %c, %c key %c, %c : (tensor<4xi32>, tensor<5xi32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>)
  return
}

// -----

func.func @clamp_c2_neither(%a: tensor<8xf32>) {
  // expected-error@+1 {{expected min, max or both, but got neither}}
  %0 = graph.clamp %a : tensor<8xf32>
  return
}

// -----

func.func @clamp_c3_nan(%a: tensor<8xf32>) {
  // expected-error@+1 {{expected finite bounds, but got}}
  %0 = "graph.clamp"(%a) <{min = 0x7FF8000000000000 : f64}> : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @is_nan_c1_shape(%a: tensor<8xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<8xi1>' are incompatible with return type(s) of operation 'tensor<4xi1>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.is_nan %a : (tensor<8xf32>) -> tensor<4xi1>
  return
}

// -----

func.func @clamp_c3_range(%a: tensor<8xf16>, %b: tensor<8xf64>) {
  %0 = graph.clamp %b min = 1.0e-300 max = 1.0e300 : tensor<8xf64>
  // expected-error@+1 {{expected bounds in the range of 'f32', but got 1.000000e+300}}
  %1 = graph.clamp %a max = 1.0e300 : tensor<8xf16>
  return
}
