// D9: what GradScaler refuses at run time, because a user wrote the calls of a
// step in a wrong order, is refused when a step is compiled. A step that the
// pipeline builds has one order; these are steps written by hand. (`closure` is
// an argument of torch's `step` that a step has no place for.)
// RUN: mpc-opt %s --mpc-verify-update --split-input-file --verify-diagnostics
// RUN: not mpc-opt %S/Inputs/f16-gradient.mlir --mpc-scale-loss 2>&1 | FileCheck %s

// "unscale_() has already been called on this optimizer since the last update()"
func.func @unscale_twice(%g: tensor<f32> {graph.input = "g"}, %w: tensor<f32> {graph.parameter = "w"}, %s: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale>}) -> (tensor<f32> {graph.updates = "w"}) attributes {graph.entry = "step"} {
  // expected-note @+1 {{unscaled here first}}
  %u, %inf = graph.unscale %s, %g : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  // expected-error @+1 {{expected gradient #0 to be unscaled once, but got one that is unscaled}}
  %v, %jnf = graph.unscale %s, %u : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  %n = graph.select %jnf, %w, %v : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %n : tensor<f32>
}

// -----

// "unscale_() is being called after step()"
func.func @unscale_after_step(%g: tensor<f32> {graph.input = "g"}, %w: tensor<f32> {graph.parameter = "w"}, %lr: tensor<f32> {graph.state = #graph.state<"optimizer.lr" learning_rate>}, %s: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale>}) -> (tensor<f32> {graph.updates = "w"}) attributes {graph.entry = "step"} {
  // expected-note @+1 {{the optimizer}}
  %x = graph.sgd %w, %g lr %lr : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  // expected-error @+1 {{expected gradient #0 to be unscaled before the optimizer, but got one that depends on its result}}
  %u, %inf = graph.unscale %s, %x : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  %n = graph.select %inf, %w, %u : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %n : tensor<f32>
}

// -----

// "step() has already been called since the last update()"
func.func @step_twice(%g: tensor<f32> {graph.input = "g"}, %w: tensor<f32> {graph.parameter = "w"}, %lr: tensor<f32> {graph.state = #graph.state<"optimizer.lr" learning_rate>}) -> (tensor<f32> {graph.updates = "w"}) attributes {graph.entry = "step"} {
  // expected-note @+1 {{the first one}}
  %x = graph.sgd %w, %g lr %lr : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  // expected-error @+1 {{expected one update of a parameter in a step, but got a second one}}
  %y = graph.sgd %x, %g lr %lr : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// "No inf checks were recorded prior to update"
func.func @update_without_check(%g: tensor<f32> {graph.input = "g"}, %s: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale>}) -> (tensor<f32> {graph.updates = "scaler.scale"}) attributes {graph.entry = "step"} {
  // expected-error @+1 {{expected the next value of 'scaler.scale' to depend on found_inf, but it does not}}
  %n = graph.add %s, %s : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %n : tensor<f32>
}

// -----

// A step of scaled gradients: clip or update before unscale.
func.func @step_without_unscale(%g: tensor<f32> {graph.input = "g"}, %w: tensor<f32> {graph.parameter = "w"}, %lr: tensor<f32> {graph.state = #graph.state<"optimizer.lr" learning_rate>}, %s: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale>}) -> (tensor<f32> {graph.updates = "w"}) attributes {graph.entry = "step"} {
  // expected-note @+1 {{scaled here}}
  %x = graph.scale %g, %s : tensor<f32>, tensor<f32>
  // expected-error @+1 {{expected clip and update of unscaled gradients, but got a result that is still scaled}}
  %y = graph.sgd %w, %x lr %lr : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

// "Attempting to unscale FP16 gradients."
// CHECK: error: expected the gradient of 'w' in f32 or f64, but got 'f16'; parameters are master weights
