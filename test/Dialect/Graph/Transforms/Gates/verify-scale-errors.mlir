// RUN: mpc-opt %s --mpc-verify-scale --split-input-file --verify-diagnostics

func.func @unscaled_seed(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.gradient = "w"})
    attributes {graph.entry = "step", graph.training = #graph.training<loss_scale = #graph.loss_scale<mode = "dynamic">>} {
  // expected-error @+1 {{expected the seed to be scaled, because loss_scale is dynamic, but got no graph.scale}}
  %seed = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  return %seed : tensor<f32>
}

// -----

func.func @bypass(%w: tensor<f32> {graph.parameter = "w"}, %s: tensor<f32> {graph.state = "scaler.scale"}) -> (tensor<f32> {graph.gradient = "w"}) attributes {graph.entry = "step"} {
  // expected-note @+1 {{the seed}}
  %seed = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  %scaled = graph.scale %seed, %s : tensor<f32>, tensor<f32>
  // expected-error @+1 {{expected the seed to be used by graph.scale only, but got a use that bypasses the scale}}
  %g = graph.add %scaled, %seed : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %u, %inf = graph.unscale %s, %g : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  return %u : tensor<f32>
}

// -----

func.func @scaled_twice(%w: tensor<f32> {graph.parameter = "w"}, %s: tensor<f32> {graph.state = "scaler.scale"}) -> (tensor<f32> {graph.gradient = "w"}) attributes {graph.entry = "step"} {
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
  // expected-error @+1 {{expected the scale to be the argument of state 'scaler.scale', but got another value}}
  %a = graph.scale %seed, %w : tensor<f32>, tensor<f32>
  %u, %inf = graph.unscale %w, %a : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  return %u : tensor<f32>
}

// -----

func.func @unscaled_twice(%w: tensor<f32> {graph.parameter = "w"}, %s: tensor<f32> {graph.state = "scaler.scale"}) -> (tensor<f32> {graph.gradient = "w"}) attributes {graph.entry = "step"} {
  %seed = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  %a = graph.scale %seed, %s : tensor<f32>, tensor<f32>
  // expected-note @+1 {{unscaled here first}}
  %u, %inf = graph.unscale %s, %a : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  // expected-error @+1 {{expected scaled gradients, but got gradient #0, which no graph.scale reaches}}
  %v, %inf2 = graph.unscale %s, %u : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  return %v : tensor<f32>
}

// -----

func.func @other_scale(%w: tensor<f32> {graph.parameter = "w"}, %s: tensor<f32> {graph.state = "scaler.scale"}) -> (tensor<f32> {graph.gradient = "w"}) attributes {graph.entry = "step"} {
  %seed = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  // expected-note @+1 {{scaled here}}
  %a = graph.scale %seed, %s : tensor<f32>, tensor<f32>
  // expected-error @+1 {{expected gradient #0 to be unscaled by the scale it was multiplied by, but got another}}
  %u, %inf = graph.unscale %w, %a : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  return %u : tensor<f32>
}

// -----

func.func @still_scaled(%w: tensor<f32> {graph.parameter = "w"}, %s: tensor<f32> {graph.state = "scaler.scale"}) -> (tensor<f32> {graph.gradient = "w"}) attributes {graph.entry = "step"} {
  %seed = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  // expected-note @+1 {{scaled here}}
  %a = graph.scale %seed, %s : tensor<f32>, tensor<f32>
  // expected-error @+1 {{expected every result to be unscaled, but result #0 is still scaled}}
  %b = graph.neg %a : tensor<f32>
  return %b : tensor<f32>
}

// -----

func.func @gradient_bypasses(%w: tensor<f32> {graph.parameter = "w"}, %v: tensor<f32> {graph.parameter = "v"}, %s: tensor<f32> {graph.state = "scaler.scale"})
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
func.func @zero(%w: tensor<f32> {graph.parameter = "w"}, %v: tensor<f32> {graph.parameter = "v"}, %s: tensor<f32> {graph.state = "scaler.scale"})
    -> (tensor<f32> {graph.gradient = "w"}, tensor<f32> {graph.gradient = "v"}) attributes {graph.entry = "step"} {
  %seed = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  %a = graph.scale %seed, %s : tensor<f32>, tensor<f32>
  %zero = graph.constant dense<0.0> : tensor<f32>
  %u:2, %inf = graph.unscale %s, %a, %zero : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<i1>)
  return %u#0, %u#1 : tensor<f32>, tensor<f32>
}
