// RUN: mpc-opt %s --verify-diagnostics --split-input-file

func.func @observe_c1_names(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected names of the value and of what made it, but got '' and 'input'}}
  graph.observe 0 %x as "" made_by "input" from [] : tensor<4xf32>
  return
}

// -----

func.func @observe_c2_sources(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected a number of at least 0 and sources below it, but got 1 and [0, 1]}}
  graph.observe 1 %x as "x" made_by "input" from [0, 1] : tensor<4xf32>
  return
}

// -----

func.func @observe_integers(%x: tensor<4xi32>) {
  // expected-error@+1 {{operand #0 must be static, non-empty tensor of f64, f32, f16 or bf16 elements}}
  graph.observe 0 %x as "x" made_by "input" from [] : tensor<4xi32>
  return
}
