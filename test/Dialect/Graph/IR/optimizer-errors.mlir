// RUN: mpc-opt %s --verify-diagnostics --split-input-file

func.func @sgd_c1_types(%a: tensor<4xf32>, %b: tensor<5xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{failed to verify that all of {parameter, gradient, next_parameter} have same type}}
  %0 = graph.sgd %a, %b lr %c : (tensor<4xf32>, tensor<5xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @sgd_c2_no_next(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{expected a momentum buffer and its next value together, but got only the buffer}}
  %0 = graph.sgd %a, %a momentum_buffer %b lr %c {momentum = 0.9 : f64} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  return
}

// -----

func.func @sgd_c2_no_buffer(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{expected a momentum buffer and its next value together, but got only the next value}}
  %0:2 = graph.sgd %a, %a lr %c {} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @sgd_c2_type(%a: tensor<4xf32>, %b: tensor<5xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{expected a momentum buffer of the parameter's type 'tensor<4xf32>', but got 'tensor<5xf32>'}}
  %0:2 = graph.sgd %a, %a momentum_buffer %b lr %c {momentum = 0.9 : f64} : (tensor<4xf32>, tensor<4xf32>, tensor<5xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<5xf32>)
  return
}

// -----

func.func @sgd_c3_momentum(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{expected a finite momentum, > 0 with a buffer and 0 without, but got 9.000000e-01 : f64 without a buffer}}
  %0 = graph.sgd %a, %a lr %c {momentum = 0.9 : f64} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  return
}

// -----

func.func @sgd_c3_zero(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{expected a finite momentum, > 0 with a buffer and 0 without, but got 0.000000e+00 : f64 with a buffer}}
  %0:2 = graph.sgd %a, %a momentum_buffer %b lr %c {} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @sgd_c4_nesterov(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{expected a momentum buffer with nesterov}}
  %0 = graph.sgd %a, %a lr %c {nesterov} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  return
}

// -----

func.func @sgd_c5_weight_decay(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{expected a finite weight_decay >= 0, but got -1.000000e-02}}
  %0 = graph.sgd %a, %a lr %c {weight_decay = -0.01 : f64} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>)
  return
}

// -----

func.func @adamw_c1_types(%a: tensor<4xf32>, %b: tensor<5xf32>, %c: tensor<f32>, %d: tensor<i32>) {
  // expected-error@+1 {{failed to verify that all of {parameter, gradient, exp_avg, exp_avg_sq, next_parameter, next_exp_avg, next_exp_avg_sq} have same type}}
  %0:3 = graph.adamw %a, %b, %a, %a lr %c step %d {} : (tensor<4xf32>, tensor<5xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @adamw_c2_beta(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<f32>, %d: tensor<i32>) {
  // expected-error@+1 {{expected beta2 in [0, 1), but got 1.000000e+00}}
  %0:3 = graph.adamw %a, %b, %a, %a lr %c step %d {beta2 = 1.0 : f64} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @adamw_c2_beta1(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<f32>, %d: tensor<i32>) {
  // expected-error@+1 {{expected beta1 in [0, 1), but got -1.000000e-01}}
  %0:3 = graph.adamw %a, %b, %a, %a lr %c step %d {beta1 = -0.1 : f64} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @adamw_c3_epsilon(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<f32>, %d: tensor<i32>) {
  // expected-error@+1 {{expected a finite epsilon >= 0, but got -1.000000e-08}}
  %0:3 = graph.adamw %a, %b, %a, %a lr %c step %d {epsilon = -1.0e-8 : f64} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @adamw_c3_weight_decay(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<f32>, %d: tensor<i32>) {
  // expected-error@+1 {{expected a finite weight_decay >= 0, but got 0x7FF0000000000000}}
  %0:3 = graph.adamw %a, %b, %a, %a lr %c step %d {weight_decay = 0x7FF0000000000000 : f64} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @sgd_c4_dampening(%a: tensor<4xf32>, %b: tensor<5xf32>, %c: tensor<f32>, %d: tensor<i32>) {
  // expected-error@+1 {{expected no dampening with nesterov, but got 5.000000e-01}}
  %0:2 = graph.sgd %a, %a momentum_buffer %a lr %c step %d {momentum = 0.9 : f64, dampening = 0.5 : f64, nesterov} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @sgd_c6_dampening(%a: tensor<4xf32>, %b: tensor<5xf32>, %c: tensor<f32>, %d: tensor<i32>) {
  // expected-error@+1 {{expected a finite dampening >= 0, but got -5.000000e-01}}
  %0:2 = graph.sgd %a, %a momentum_buffer %a lr %c step %d {momentum = 0.9 : f64, dampening = -0.5 : f64} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @sgd_c6_no_step(%a: tensor<4xf32>, %b: tensor<5xf32>, %c: tensor<f32>, %d: tensor<i32>) {
  // expected-error@+1 {{expected a step with dampening and none without, but got dampening 5.000000e-01 : f64 without a step}}
  %0:2 = graph.sgd %a, %a momentum_buffer %a lr %c {momentum = 0.9 : f64, dampening = 0.5 : f64} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @sgd_c6_step(%a: tensor<4xf32>, %b: tensor<5xf32>, %c: tensor<f32>, %d: tensor<i32>) {
  // expected-error@+1 {{expected a step with dampening and none without, but got dampening 0.000000e+00 : f64 with a step}}
  %0 = graph.sgd %a, %a lr %c step %d {} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i32>) -> tensor<4xf32>
  return
}

// -----

func.func @sgd_c6_no_buffer(%a: tensor<4xf32>, %b: tensor<5xf32>, %c: tensor<f32>, %d: tensor<i32>) {
  // expected-error@+1 {{expected a momentum buffer with dampening}}
  %0 = graph.sgd %a, %a lr %c step %d {dampening = 0.5 : f64} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i32>) -> tensor<4xf32>
  return
}

// -----

func.func @adam_c1_types(%a: tensor<4xf32>, %b: tensor<5xf32>, %c: tensor<f32>, %d: tensor<i32>) {
  // expected-error@+1 {{failed to verify that all of {parameter, gradient, exp_avg, exp_avg_sq, next_parameter, next_exp_avg, next_exp_avg_sq} have same type}}
  %0:3 = graph.adam %a, %b, %a, %a lr %c step %d {} : (tensor<4xf32>, tensor<5xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @adam_c2_beta(%a: tensor<4xf32>, %b: tensor<5xf32>, %c: tensor<f32>, %d: tensor<i32>) {
  // expected-error@+1 {{expected beta1 in [0, 1), but got 1.000000e+00}}
  %0:3 = graph.adam %a, %a, %a, %a lr %c step %d {beta1 = 1.0 : f64} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @adam_c3_epsilon(%a: tensor<4xf32>, %b: tensor<5xf32>, %c: tensor<f32>, %d: tensor<i32>) {
  // expected-error@+1 {{expected a finite epsilon >= 0, but got -1.000000e+00}}
  %0:3 = graph.adam %a, %a, %a, %a lr %c step %d {epsilon = -1.0 : f64} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @lamb_c1_types(%a: tensor<4xf32>, %b: tensor<5xf32>, %c: tensor<f32>, %d: tensor<i32>) {
  // expected-error@+1 {{failed to verify that all of {parameter, gradient, exp_avg, exp_avg_sq, next_parameter, next_exp_avg, next_exp_avg_sq} have same type}}
  %0:3 = graph.lamb %a, %b, %a, %a lr %c step %d {} : (tensor<4xf32>, tensor<5xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @lamb_c2_beta(%a: tensor<4xf32>, %b: tensor<5xf32>, %c: tensor<f32>, %d: tensor<i32>) {
  // expected-error@+1 {{expected beta1 in [0, 1), but got 1.000000e+00}}
  %0:3 = graph.lamb %a, %a, %a, %a lr %c step %d {beta1 = 1.0 : f64} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @lamb_c3_epsilon(%a: tensor<4xf32>, %b: tensor<5xf32>, %c: tensor<f32>, %d: tensor<i32>) {
  // expected-error@+1 {{expected a finite epsilon >= 0, but got -1.000000e+00}}
  %0:3 = graph.lamb %a, %a, %a, %a lr %c step %d {epsilon = -1.0 : f64} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @adagrad_c1_types(%a: tensor<4xf32>, %b: tensor<5xf32>, %c: tensor<f32>, %d: tensor<i32>) {
  // expected-error@+1 {{failed to verify that all of {parameter, gradient, sum, next_parameter, next_sum} have same type}}
  %0:2 = graph.adagrad %a, %b, %a lr %c step %d {} : (tensor<4xf32>, tensor<5xf32>, tensor<4xf32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @adagrad_c2_lr_decay(%a: tensor<4xf32>, %b: tensor<5xf32>, %c: tensor<f32>, %d: tensor<i32>) {
  // expected-error@+1 {{expected a finite lr_decay >= 0, but got -1.000000e+00}}
  %0:2 = graph.adagrad %a, %a, %a lr %c step %d {lr_decay = -1.0 : f64} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @rmsprop_c1_types(%a: tensor<4xf32>, %b: tensor<5xf32>, %c: tensor<f32>, %d: tensor<i32>) {
  // expected-error@+1 {{failed to verify that all of {parameter, gradient, next_parameter} have same type}}
  %0:2 = graph.rmsprop %a, %b averages %a lr %c {} : (tensor<4xf32>, tensor<5xf32>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @rmsprop_c2_count(%a: tensor<4xf32>, %b: tensor<5xf32>, %c: tensor<f32>, %d: tensor<i32>) {
  // expected-error@+1 {{expected 2 averages and as many next ones, but got 1 and 1}}
  %0:2 = graph.rmsprop %a, %a averages %a lr %c {centered} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @rmsprop_c2_type(%a: tensor<4xf32>, %b: tensor<5xf32>, %c: tensor<f32>, %d: tensor<i32>) {
  // expected-error@+1 {{expected averages of the parameter's type 'tensor<4xf32>', but got 'tensor<5xf32>'}}
  %0:2 = graph.rmsprop %a, %a averages %b lr %c {} : (tensor<4xf32>, tensor<4xf32>, tensor<5xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @rmsprop_c3_epsilon(%a: tensor<4xf32>, %b: tensor<5xf32>, %c: tensor<f32>, %d: tensor<i32>) {
  // expected-error@+1 {{expected a finite epsilon >= 0, but got -1.000000e+00}}
  %0:2 = graph.rmsprop %a, %a averages %a lr %c {epsilon = -1.0 : f64} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @rmsprop_c4_alpha(%a: tensor<4xf32>, %b: tensor<5xf32>, %c: tensor<f32>, %d: tensor<i32>) {
  // expected-error@+1 {{expected alpha in [0, 1], but got 2.000000e+00}}
  %0:2 = graph.rmsprop %a, %a averages %a lr %c {alpha = 2.0 : f64} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @lomo_c1_types(%a: tensor<4xf32>, %b: tensor<5xf32>, %c: tensor<f32>, %d: tensor<i32>) {
  // expected-error@+1 {{failed to verify that all of {parameter, gradient, next_parameter} have same type}}
  %0 = graph.lomo %a, %b lr %c {} : (tensor<4xf32>, tensor<5xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @lomo_c2_weight_decay(%a: tensor<4xf32>, %b: tensor<5xf32>, %c: tensor<f32>, %d: tensor<i32>) {
  // expected-error@+1 {{expected a finite weight_decay >= 0, but got -1.000000e+00}}
  %0 = graph.lomo %a, %a lr %c {weight_decay = -1.0 : f64} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}
