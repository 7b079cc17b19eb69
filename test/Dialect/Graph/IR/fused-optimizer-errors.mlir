// RUN: mpc-opt %s --verify-diagnostics --split-input-file
// Ops on lists of tensors.

func.func @unscale_l2norm_c1(%s: tensor<f32>) {
  // expected-error@+1 {{expected at least one gradient}}
  %0:2 = "graph.unscale_l2norm"(%s) {operandSegmentSizes = array<i32: 0, 1>} : (tensor<f32>) -> (tensor<i1>, tensor<f32>)
  return
}

// -----

func.func @unscale_l2norm_c2(%g: tensor<4xf32>, %h: tensor<4xf16>) {
  // expected-error@+1 {{expected gradients of one element type, but got 'tensor<4xf32>', 'tensor<4xf16>'}}
  %0:2 = graph.unscale_l2norm %g, %h : (tensor<4xf32>, tensor<4xf16>) -> (tensor<i1>, tensor<f32>)
  return
}

// -----

func.func @fused_sgd_c1_none(%lr: tensor<f32>) {
  // expected-error@+1 {{expected at least one parameter}}
  "graph.fused_sgd"(%lr) {operandSegmentSizes = array<i32: 0, 0, 0, 1, 0, 0, 0>} : (tensor<f32>) -> ()
  return
}

// -----

func.func @fused_sgd_c1(%a: tensor<4xf32>, %lr: tensor<f32>) {
  // expected-error@+1 {{expected lists of 2 tensors, but got one of 1}}
  %0:2 = graph.fused_sgd %a, %a gradients %a lr %lr : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @fused_sgd_c2(%a: tensor<4xf32>, %g: tensor<4xf16>, %lr: tensor<f32>) {
  // expected-error@+1 {{expected gradients of one element type, but got 'tensor<4xf32>', 'tensor<4xf16>'}}
  %0:2 = graph.fused_sgd %a, %a gradients %a, %g lr %lr : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf16>, tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @fused_sgd_c3(%a: tensor<4xf32>, %g: tensor<5xf32>, %lr: tensor<f32>) {
  // expected-error@+1 {{expected tensors of the shape of their parameter 'tensor<4xf32>', but got 'tensor<5xf32>'}}
  %0 = graph.fused_sgd %a gradients %g lr %lr : (tensor<4xf32>, tensor<5xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @fused_sgd_c4(%a: tensor<4xf32>, %lr: tensor<f32>) {
  // expected-error@+1 {{expected a finite momentum, > 0 with a buffer and 0 without, but got 9.000000e-01 : f64 without a buffer}}
  %0 = graph.fused_sgd %a gradients %a lr %lr {momentum = 0.9 : f64} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @fused_adamw_c1(%a: tensor<4xf32>, %lr: tensor<f32>, %t: tensor<i32>) {
  // expected-error@+1 {{expected lists of 1 tensors, but got one of 2}}
  %0:4 = "graph.fused_adamw"(%a, %a, %a, %a, %a, %lr, %t) {operandSegmentSizes = array<i32: 1, 1, 1, 2, 1, 1, 0, 0, 0>} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @fused_adamw_c4(%a: tensor<4xf32>, %lr: tensor<f32>, %t: tensor<i32>) {
  // expected-error@+1 {{expected beta2 in [0, 1), but got 1.000000e+00}}
  %0:3 = graph.fused_adamw %a gradients %a exp_avgs %a exp_avg_sqs %a lr %lr step %t {beta2 = 1.0 : f64} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}
