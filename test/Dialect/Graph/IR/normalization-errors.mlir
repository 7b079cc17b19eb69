// RUN: mpc-opt %s --verify-diagnostics --split-input-file

func.func @softmax_c1_dim(%a: tensor<4x8xf32>) {
  // expected-error@+2 {{expected dim to be less than the rank 2, but got 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.softmax %a dim = 2 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @log_softmax_c1_scalar(%a: tensor<f32>) {
  // expected-error@+2 {{expected dim to be less than the rank 0, but got 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.log_softmax %a dim = 0 : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @softmax_c2_shape(%a: tensor<4x8xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<4x8xf32>' are incompatible with return type(s) of operation 'tensor<4xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.softmax %a dim = 1 : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @layer_norm_c1_first_dim(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{expected first_dim to be less than the rank 2, but got 2}}
  %0 = graph.layer_norm %a first_dim = 2 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @layer_norm_c2_weight(%a: tensor<4x8xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{expected weight of shape 8, the dims of 4x8 from 1 on, but got 4}}
  %0 = graph.layer_norm %a weight %b first_dim = 1 : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @layer_norm_c2_bias(%a: tensor<2x4x8xf32>, %b: tensor<4x8xf32>, %c: tensor<8xf32>) {
  // expected-error@+1 {{expected bias of shape 4x8, the dims of 2x4x8 from 1 on, but got 8}}
  %0 = graph.layer_norm %a weight %b bias %c first_dim = 1 : (tensor<2x4x8xf32>, tensor<4x8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  return
}

// -----

func.func @layer_norm_c3_types(%a: tensor<4x8xf32>, %b: tensor<8xf64>) {
  // expected-error@+1 {{expected f64 in all operands or in none, but got 'tensor<4x8xf32>' and 'tensor<8xf64>'}}
  %0 = graph.layer_norm %a weight %b first_dim = 1 : (tensor<4x8xf32>, tensor<8xf64>) -> tensor<4x8xf32>
  return
}

// -----

func.func @layer_norm_c4_epsilon(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{expected a finite epsilon >= 0, but got -1.000000e-05}}
  %0 = graph.layer_norm %a first_dim = 1 epsilon = -1.0e-5 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @rms_norm_c1_dim(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{expected first_dim to be less than the rank 2, but got 2}}
  %0 = graph.rms_norm %a first_dim = 2 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @rms_norm_c2_weight(%a: tensor<4x8xf32>, %w: tensor<4xf32>) {
  // expected-error@+1 {{expected weight of shape 8, the dims of 4x8 from 1 on, but got 4}}
  %0 = graph.rms_norm %a weight %w first_dim = 1 : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @rms_norm_c4_epsilon(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{expected a finite epsilon >= 0, but got -1.000000e-05}}
  %0 = graph.rms_norm %a first_dim = 1 epsilon = -1.0e-5 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}
