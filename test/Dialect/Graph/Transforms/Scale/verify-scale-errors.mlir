// RUN: mpc-opt %s --mpc-verify-scale --split-input-file --verify-diagnostics

func.func @unscaled_seed(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.gradient = "w"})
    attributes {graph.entry = "step", graph.training = #graph.training<loss_scale = #graph.loss_scale<mode = "dynamic">>} {
  // expected-error @+1 {{expected the seed to be scaled, because loss_scale is dynamic, but got no graph.scale}}
  %seed = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  return %seed : tensor<f32>
}

// -----

func.func @bypass(%w: tensor<f32> {graph.parameter = "w"}, %s: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale>}) -> (tensor<f32> {graph.gradient = "w"}) attributes {graph.entry = "step"} {
  // expected-note @+1 {{the seed}}
  %seed = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  %scaled = graph.scale %seed, %s : tensor<f32>, tensor<f32>
  // expected-error @+1 {{expected the seed to be used by graph.scale only, but got a use that bypasses the scale}}
  %g = graph.add %scaled, %seed : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %u, %inf = graph.unscale %s, %g : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  return %u : tensor<f32>
}

// -----

func.func @scaled_twice(%w: tensor<f32> {graph.parameter = "w"}, %s: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale>}) -> (tensor<f32> {graph.gradient = "w"}) attributes {graph.entry = "step"} {
  %seed = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  // expected-note @+1 {{scaled here first}}
  %a = graph.scale %seed, %s : tensor<f32>, tensor<f32>
  // expected-error @+1 {{expected a value that is not scaled, but got one that is scaled twice}}
  %b = graph.scale %a, %s : tensor<f32>, tensor<f32>
  %u, %inf = graph.unscale %s, %b : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  return %u : tensor<f32>
}

// -----

func.func @not_the_state(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.gradient = "w"}) attributes {graph.entry = "step"} {
  %seed = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  // expected-error @+1 {{expected the scale to be the state of a scaler, 'scaler.scale' or 'scaler.<loss>.scale', but got another value}}
  %a = graph.scale %seed, %w : tensor<f32>, tensor<f32>
  %u, %inf = graph.unscale %w, %a : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  return %u : tensor<f32>
}

// -----

func.func @unscaled_twice(%w: tensor<f32> {graph.parameter = "w"}, %s: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale>}) -> (tensor<f32> {graph.gradient = "w"}) attributes {graph.entry = "step"} {
  %seed = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  %a = graph.scale %seed, %s : tensor<f32>, tensor<f32>
  // expected-note @+1 {{unscaled here first}}
  %u, %inf = graph.unscale %s, %a : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  // expected-error @+1 {{expected scaled gradients, but got gradient #0, which no graph.scale reaches}}
  %v, %inf2 = graph.unscale %s, %u : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  return %v : tensor<f32>
}

// -----

func.func @other_scale(%w: tensor<f32> {graph.parameter = "w"}, %s: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale>}) -> (tensor<f32> {graph.gradient = "w"}) attributes {graph.entry = "step"} {
  %seed = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  // expected-note @+1 {{scaled here}}
  %a = graph.scale %seed, %s : tensor<f32>, tensor<f32>
  // expected-error @+1 {{expected gradient #0 to be unscaled by the scale it was multiplied by, but got another}}
  %u, %inf = graph.unscale %w, %a : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  return %u : tensor<f32>
}

// -----

func.func @still_scaled(%w: tensor<f32> {graph.parameter = "w"}, %s: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale>}) -> (tensor<f32> {graph.gradient = "w"}) attributes {graph.entry = "step"} {
  %seed = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  // expected-note @+1 {{scaled here}}
  %a = graph.scale %seed, %s : tensor<f32>, tensor<f32>
  // expected-error @+1 {{expected every result to be unscaled, but result #0 is still scaled}}
  %b = graph.neg %a : tensor<f32>
  return %b : tensor<f32>
}

// -----

func.func @gradient_bypasses(%w: tensor<f32> {graph.parameter = "w"}, %v: tensor<f32> {graph.parameter = "v"}, %s: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale>})
    -> (tensor<f32> {graph.gradient = "w"}, tensor<f32> {graph.gradient = "v"}) attributes {graph.entry = "step"} {
  %seed = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  %a = graph.scale %seed, %s : tensor<f32>, tensor<f32>
  // expected-error @+1 {{expected the gradient of 'v' to come from graph.unscale, but got one that bypasses it}}
  %b = graph.neg %w : tensor<f32>
  %u, %inf = graph.unscale %s, %a : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  return %u, %b : tensor<f32>, tensor<f32>
}

// -----

// A parameter that misses the loss has gradient zero; that is no bypass.
func.func @zero(%w: tensor<f32> {graph.parameter = "w"}, %v: tensor<f32> {graph.parameter = "v"}, %s: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale>})
    -> (tensor<f32> {graph.gradient = "w"}, tensor<f32> {graph.gradient = "v"}) attributes {graph.entry = "step"} {
  %seed = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  %a = graph.scale %seed, %s : tensor<f32>, tensor<f32>
  %zero = graph.constant dense<0.0> : tensor<f32>
  %u:2, %inf = graph.unscale %s, %a, %zero : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<i1>)
  return %u#0, %u#1 : tensor<f32>, tensor<f32>
}

// -----

func.func @unscaled_twice_on_a_path(%w: tensor<f32> {graph.parameter = "w"}, %s: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale>}) -> (tensor<f32> {graph.gradient = "w"}) attributes {graph.entry = "step"} {
  %seed = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  %a = graph.scale %seed, %s : tensor<f32>, tensor<f32>
  // expected-note @+1 {{unscaled here first}}
  %u, %inf = graph.unscale %s, %a : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  %b = graph.add %a, %u : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // expected-error @+1 {{expected gradient #0 to be unscaled once, but a path from the seed to it passes another graph.unscale}}
  %v, %inf2 = graph.unscale %s, %b : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  return %v : tensor<f32>
}

// -----

// An output is a result like any other.
func.func @scaled_output(%w: tensor<f32> {graph.parameter = "w"}, %s: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale>}) -> (tensor<f32> {graph.gradient = "w"}, tensor<f32> {graph.output = "y"}) attributes {graph.entry = "step"} {
  %seed = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  // expected-error @+2 {{expected every result to be unscaled, but result #1 is still scaled}}
  // expected-note @+1 {{scaled here}}
  %a = graph.scale %seed, %s : tensor<f32>, tensor<f32>
  %u, %inf = graph.unscale %s, %a : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  return %u, %a : tensor<f32>, tensor<f32>
}

// -----

func.func @scales_of_two_losses(%w: tensor<f32> {graph.parameter = "w"}, %s: tensor<f32> {graph.state = #graph.state<"scaler.a.scale" loss_scale of "a">}, %t: tensor<f32> {graph.state = #graph.state<"scaler.b.scale" loss_scale of "b">}) -> (tensor<f32> {graph.gradient = "w"}) attributes {graph.entry = "step"} {
  %seed = graph.constant {graph.seed = "a"} dense<1.0> : tensor<f32>
  // expected-note @+1 {{scaled here}}
  %a = graph.scale %seed, %s : tensor<f32>, tensor<f32>
  %other = graph.constant {graph.seed = "b"} dense<1.0> : tensor<f32>
  %b = graph.scale %other, %t : tensor<f32>, tensor<f32>
  %sum = graph.add %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // expected-error @+1 {{expected gradient #0 to be scaled by one scale, but got one that the scales of two losses reach; unscale each before they are added}}
  %u, %inf = graph.unscale %s, %sum : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  return %u : tensor<f32>
}

// -----

func.func @scale_of_another_loss(%w: tensor<f32> {graph.parameter = "w"}, %s: tensor<f32> {graph.state = #graph.state<"scaler.a.scale" loss_scale of "a">}, %t: tensor<f32> {graph.state = #graph.state<"scaler.b.scale" loss_scale of "b">}) -> (tensor<f32> {graph.gradient = "w"}) attributes {graph.entry = "step"} {
  %seed = graph.constant {graph.seed = "a"} dense<1.0> : tensor<f32>
  // expected-note @+1 {{scaled here}}
  %a = graph.scale %seed, %s : tensor<f32>, tensor<f32>
  // expected-error @+1 {{expected gradient #0 to be unscaled by the scale it was multiplied by, but got another}}
  %u, %inf = graph.unscale %t, %a : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  return %u : tensor<f32>
}

// -----

// The next scale divides only where divide_by_next asks for it.
func.func @next_scale(%w: tensor<f32> {graph.parameter = "w"}, %s: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale>}, %t: tensor<i32> {graph.state = #graph.state<"scaler.growth_tracker" scaler>}) -> (tensor<f32> {graph.gradient = "w"}) attributes {graph.entry = "step"} {
  %seed = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  // expected-note @+1 {{scaled here}}
  %a = graph.scale %seed, %s : tensor<f32>, tensor<f32>
  %no = graph.constant dense<false> : tensor<i1>
  %n, %nt, %floor = graph.scaler_update %s, %t, %no growth = 2.0 backoff = 0.5 interval = 2 : (tensor<f32>, tensor<i32>, tensor<i1>) -> (tensor<f32>, tensor<i32>, tensor<i1>)
  // expected-error @+1 {{expected gradient #0 to be unscaled by the scale it was multiplied by, but got another}}
  %u, %inf = graph.unscale %n, %a : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  return %u : tensor<f32>
}
