// RUN: mpc-opt %s --mpc-verify-update --split-input-file --verify-diagnostics

func.func @gradient(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.gradient = "w"}) attributes {graph.entry = "step"} {
  // expected-error @+1 {{expected no gradient among the results of an updated step, but got that of 'w'}}
  %u = graph.neg %w : tensor<f32>
  return %u : tensor<f32>
}

// -----

func.func @still_scaled(%w: tensor<f32> {graph.parameter = "w"}, %s: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale>}) -> (tensor<f32> {graph.updates = "w"}, tensor<f32> {graph.output = "grad_norm"}) attributes {graph.entry = "step"} {
  // expected-note @+1 {{scaled here}}
  %a = graph.scale %w, %s : tensor<f32>, tensor<f32>
  // expected-error @+1 {{expected clip and update of unscaled gradients, but got a result that is still scaled}}
  %n = graph.global_norm %a : (tensor<f32>) -> tensor<f32>
  return %w, %n : tensor<f32>, tensor<f32>
}

// -----

func.func @unknown(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.updates = "v"}) attributes {graph.entry = "step"} {
  // expected-error @+1 {{expected a state of this step, but got an update of 'v'}}
  %u = graph.neg %w : tensor<f32>
  return %u : tensor<f32>
}

// -----

func.func @wrong_type(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f64> {graph.updates = "w"}) attributes {graph.entry = "step"} {
  // expected-error @+1 {{expected the next value of 'w' to be 'tensor<f32>', but got 'tensor<f64>'}}
  %u = graph.cast %w : (tensor<f32>) -> tensor<f64>
  return %u : tensor<f64>
}

// -----

func.func @two_updates(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.updates = "w"}, tensor<f32> {graph.updates = "w"}) attributes {graph.entry = "step"} {
  %u = graph.neg %w : tensor<f32>
  // expected-error @+1 {{expected one next value of 'w', but got two}}
  %v = graph.abs %w : tensor<f32>
  return %u, %v : tensor<f32>, tensor<f32>
}

// -----

// expected-error @+1 {{expected a next value of 'w.exp_avg', but no result updates it}}
func.func @no_update(%w: tensor<f32> {graph.parameter = "w"}, %m: tensor<f32> {graph.state = #graph.state<"w.exp_avg" moment of "w">}) -> (tensor<f32> {graph.updates = "w"}) attributes {graph.entry = "step"} {
  %u = graph.neg %w : tensor<f32>
  return %u : tensor<f32>
}

// -----

func.func @not_reduced(%g: tensor<f32> {graph.input = "g"}, %w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.updates = "w"}) attributes {graph.entry = "step"} {
  %r = graph.all_reduce #graph.reduce_kind<average> %g group = "data" bucket = 0 : (tensor<f32>) -> tensor<f32>
  // expected-error @+1 {{expected the next value of 'w' to come from reduced gradients, but no graph.all_reduce reaches it}}
  %u = graph.sub %w, %g : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %u : tensor<f32>
}

// -----

// The select alone depends on found_inf, hence on unscale; this update does not.
func.func @no_select(%g: tensor<f32> {graph.input = "g"}, %w: tensor<f32> {graph.parameter = "w"}, %s: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale>}) -> (tensor<f32> {graph.updates = "w"}) attributes {graph.entry = "step"} {
  // expected-note @+1 {{found_inf is computed here}}
  %u, %inf = graph.unscale %s, %g : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  // expected-error @+1 {{expected the next value of 'w' to be a select on found_inf, so that a skipped step keeps it, but got another value}}
  %n = graph.sub %w, %u : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %n : tensor<f32>
}

// -----

func.func @keeps_other(%g: tensor<f32> {graph.input = "g"}, %w: tensor<f32> {graph.parameter = "w"}, %s: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale>}) -> (tensor<f32> {graph.updates = "w"}) attributes {graph.entry = "step"} {
  %u, %inf = graph.unscale %s, %g : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  // expected-error @+1 {{expected a skipped step to keep 'w', but got another value where found_inf is true}}
  %n = graph.select %inf, %u, %w : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %n : tensor<f32>
}

// -----

func.func @bypasses_unscale(%g: tensor<f32> {graph.input = "g"}, %w: tensor<f32> {graph.parameter = "w"}, %s: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale>}) -> (tensor<f32> {graph.updates = "w"}) attributes {graph.entry = "step"} {
  %u, %inf = graph.unscale %s, %g : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  // expected-error @+1 {{expected the next value of 'w' to come from unscaled gradients, but no graph.unscale reaches it}}
  %m = graph.sub %w, %g : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %n = graph.select %inf, %w, %m : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %n : tensor<f32>
}

// -----

func.func @stale_copy(%w: tensor<f32> {graph.parameter = "w"}, %h: tensor<f16> {graph.state = #graph.state<"w.f16" weight_copy of "w">}) -> (tensor<f32> {graph.updates = "w"}, tensor<f16> {graph.updates = "w.f16"}) attributes {graph.entry = "step"} {
  %u = graph.neg %w : tensor<f32>
  // expected-error @+1 {{expected the next value of 'w.f16' to be the cast of the next 'w', but got another value}}
  %n = graph.cast %w : (tensor<f32>) -> tensor<f16>
  return %u, %n : tensor<f32>, tensor<f16>
}

// -----

func.func @blind_scaler(%g: tensor<f32> {graph.input = "g"}, %s: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale>}) -> (tensor<f32> {graph.updates = "scaler.scale"}) attributes {graph.entry = "step"} {
  %u, %inf = graph.unscale %s, %g : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  // expected-error @+1 {{expected the next value of 'scaler.scale' to depend on found_inf, but it does not}}
  %n = graph.add %s, %s : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %n : tensor<f32>
}

// -----

// expected-error @+1 {{expected a next value of 'scaler.scale', but no result updates it}}
func.func @forgotten_scaler(%g: tensor<f32> {graph.input = "g"}, %w: tensor<f32> {graph.parameter = "w"}, %s: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale>}) -> (tensor<f32> {graph.updates = "w"}) attributes {graph.entry = "step", graph.training = #graph.training<loss_scale = #graph.loss_scale<mode = "dynamic">, optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} {
  %u, %inf = graph.unscale %s, %g : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  %m = graph.sub %w, %u : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %n = graph.select %inf, %w, %m : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %n : tensor<f32>
}

// -----

// What counts skips, too, must see them.
func.func @blind_counter(%g: tensor<f32> {graph.input = "g"}, %s: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale>}, %c: tensor<i32> {graph.state = #graph.state<"skipped" counter>}) -> (tensor<f32> {graph.updates = "scaler.scale"}, tensor<i32> {graph.updates = "skipped"}) attributes {graph.entry = "step"} {
  %u, %inf = graph.unscale %s, %g : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  %t = graph.add %s, %s : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %n = graph.select %inf, %s, %t : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  // expected-error @+1 {{expected the next value of 'skipped' to depend on found_inf, but it does not}}
  %d = graph.add %c, %c : (tensor<i32>, tensor<i32>) -> tensor<i32>
  return %n, %d : tensor<f32>, tensor<i32>
}

// -----

// Two unscales reach w: their flags both have to keep it.
func.func @half_skip(%g: tensor<f32> {graph.input = "g"}, %h: tensor<f32> {graph.input = "h"}, %w: tensor<f32> {graph.parameter = "w"}, %s: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale>}) -> (tensor<f32> {graph.updates = "w"}) attributes {graph.entry = "step"} {
  %u, %inf = graph.unscale %s, %g : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  // expected-note @+1 {{found_inf is computed here}}
  %v, %jnf = graph.unscale %s, %h : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  %m = graph.mul %u, %v : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %x = graph.sub %w, %m : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // expected-error @+1 {{expected the next value of 'w' to be a select on found_inf, so that a skipped step keeps it, but got another value}}
  %n = graph.select %inf, %w, %x : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %n : tensor<f32>
}

// -----

// The moment stays where a second flag is set, the parameter does not.
func.func @group_apart(%g: tensor<f32> {graph.input = "g"}, %e: tensor<i1> {graph.input = "e"}, %w: tensor<f32> {graph.parameter = "w"}, %b: tensor<f32> {graph.state = #graph.state<"w.momentum_buffer" moment of "w">}, %s: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale>}) -> (tensor<f32> {graph.updates = "w"}, tensor<f32> {graph.updates = "w.momentum_buffer"}) attributes {graph.entry = "step"} {
  %u, %inf = graph.unscale %s, %g : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  %x = graph.sub %w, %u : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %n = graph.select %inf, %w, %x : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  %both = graph.select %inf, %inf, %e : (tensor<i1>, tensor<i1>, tensor<i1>) -> tensor<i1>
  // expected-error @+1 {{expected 'w.momentum_buffer' to be kept by the same flags as 'w', which is of the same parameter group, but got others}}
  %m = graph.select %both, %b, %u : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %n, %m : tensor<f32>, tensor<f32>
}

// -----

func.func @unscaled_twice(%g: tensor<f32> {graph.input = "g"}, %w: tensor<f32> {graph.parameter = "w"}, %s: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale>}) -> (tensor<f32> {graph.updates = "w"}) attributes {graph.entry = "step"} {
  // expected-note @+1 {{unscaled here first}}
  %u, %inf = graph.unscale %s, %g : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  // expected-error @+1 {{expected gradient #0 to be unscaled once, but got one that is unscaled}}
  %v, %jnf = graph.unscale %s, %u : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  %n = graph.select %jnf, %w, %v : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %n : tensor<f32>
}

// -----

func.func @unscaled_after_step(%g: tensor<f32> {graph.input = "g"}, %w: tensor<f32> {graph.parameter = "w"}, %lr: tensor<f32> {graph.state = #graph.state<"optimizer.lr" learning_rate>}, %s: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale>}) -> (tensor<f32> {graph.updates = "w"}) attributes {graph.entry = "step"} {
  // expected-note @+1 {{the optimizer}}
  %x = graph.sgd %w, %g lr %lr : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  // expected-error @+1 {{expected gradient #0 to be unscaled before the optimizer, but got one that depends on its result}}
  %u, %inf = graph.unscale %s, %x : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  %n = graph.select %inf, %w, %u : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %n : tensor<f32>
}

// -----

func.func @stepped_twice(%g: tensor<f32> {graph.input = "g"}, %w: tensor<f32> {graph.parameter = "w"}, %lr: tensor<f32> {graph.state = #graph.state<"optimizer.lr" learning_rate>}) -> (tensor<f32> {graph.updates = "w"}) attributes {graph.entry = "step"} {
  // expected-note @+1 {{the first one}}
  %x = graph.sgd %w, %g lr %lr : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  // expected-error @+1 {{expected one update of a parameter in a step, but got a second one}}
  %y = graph.sgd %x, %g lr %lr : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// A clip in front of unscale depends on the scale, though its result does not.
func.func @clip_of_scaled(%g: tensor<f32> {graph.input = "g"}, %w: tensor<f32> {graph.parameter = "w"}, %s: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale>}) -> (tensor<f32> {graph.updates = "w"}) attributes {graph.entry = "step"} {
  %bound = graph.constant dense<1.0> : tensor<f32>
  // expected-note @+1 {{scaled here}}
  %a = graph.scale %g, %s : tensor<f32>, tensor<f32>
  // expected-error @+1 {{expected clip of unscaled gradients, but got one that is still scaled}}
  %b = graph.minimum %a, %bound : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %u, %inf = graph.unscale %s, %b : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  %n = graph.sub %w, %u : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %k = graph.select %inf, %w, %n : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %k : tensor<f32>
}

// -----

func.func @norm_of_scaled(%g: tensor<f32> {graph.input = "g"}, %w: tensor<f32> {graph.parameter = "w"}, %s: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale>}) -> (tensor<f32> {graph.updates = "w"}) attributes {graph.entry = "step"} {
  // expected-note @+1 {{scaled here}}
  %a = graph.scale %g, %s : tensor<f32>, tensor<f32>
  // expected-error @+1 {{expected clip of unscaled gradients, but got one that is still scaled}}
  %norm = graph.global_norm %a : (tensor<f32>) -> tensor<f32>
  %b = graph.div %a, %norm : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %u, %inf = graph.unscale %s, %b : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  %n = graph.sub %w, %u : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %k = graph.select %inf, %w, %n : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %k : tensor<f32>
}

// -----

func.func @keeps_sum(%w: tensor<f32> {graph.state = #graph.state<"w.grad" accumulator>}) -> (tensor<f32> {graph.updates = "w.grad"}) attributes {graph.entry = "step"} {
  // expected-error @+1 {{expected a step to leave zeros in 'w.grad', but got another value}}
  %0 = graph.exp %w : tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @nonfinite_moves(%g: tensor<f32> {graph.input = "g"}, %e: tensor<i1> {graph.input = "e"}, %w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.updates = "w"}, tensor<i1> {graph.output = "nonfinite_grad"}) attributes {graph.entry = "step"} {
  // expected-error @+1 {{expected a step whose norm is not finite to keep 'w', but nonfinite_grad does not select it}}
  %n = graph.sub %w, %g : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %n, %e : tensor<f32>, tensor<i1>
}

// -----

func.func @frozen_moves(%g: tensor<f32> {graph.input = "g"}, %w: tensor<f32> {graph.parameter = "w", graph.frozen}) -> (tensor<f32> {graph.updates = "w"}) attributes {graph.entry = "step"} {
  // expected-error @+1 {{expected no next value of 'w', which is frozen, but got one}}
  %n = graph.sub %w, %g : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %n : tensor<f32>
}

// -----

func.func @statistic_of_a_skipped_step(%g: tensor<f32> {graph.input = "g"}, %s: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale>}, %w: tensor<f32> {graph.parameter = "w"}, %m: tensor<f32> {graph.state = #graph.state<"m" running_statistic init #graph.zeros>})
    -> (tensor<f32> {graph.updates = "w"}, tensor<f32> {graph.updates = "m"})
    attributes {graph.entry = "step", graph.training = #graph.training<loss_scale = #graph.loss_scale<mode = "static">, optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} {
  // expected-note @+1 {{found_inf is computed here}}
  %u, %inf = graph.unscale %s, %g : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  %n = graph.sub %w, %u : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %kept = graph.select %inf, %w, %n : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  // expected-error @+1 {{expected the next value of 'm' to be a select on found_inf, so that a skipped step keeps it, but got another value}}
  %a = graph.moving_average %m, %w momentum = 0.1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %kept, %a : tensor<f32>, tensor<f32>
}
