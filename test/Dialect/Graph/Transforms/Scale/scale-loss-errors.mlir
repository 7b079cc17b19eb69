// RUN: mpc-opt %s --mpc-scale-loss="loss-scale=dynamic" --split-input-file --verify-diagnostics

// expected-error @+1 {{expected a constant marked 'graph.seed' to scale, but got none; run mpc-differentiate first}}
func.func @no_seed(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}, tensor<f32> {graph.gradient = "w"})
    attributes {graph.entry = "step"} {
  return %w, %w : tensor<f32>, tensor<f32>
}

// -----

func.func @two_seeds(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}, tensor<f32> {graph.gradient = "w"})
    attributes {graph.entry = "step"} {
  // expected-note @+1 {{the first one}}
  %a = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  // expected-error @+1 {{expected one seed in a step, but got a second one}}
  %b = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  return %a, %b : tensor<f32>, tensor<f32>
}

// -----

func.func @narrow_loss(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}, tensor<f32> {graph.gradient = "w"})
    attributes {graph.entry = "step"} {
  // expected-error @+1 {{expected a loss of f32 or f64 to scale, but got 'f16'; cast the loss in the model}}
  %a = graph.constant {graph.seed} dense<1.0> : tensor<f16>
  %b = graph.cast %a : (tensor<f16>) -> tensor<f32>
  return %b, %w : tensor<f32>, tensor<f32>
}

// -----

func.func @narrow_gradient(%w: tensor<f16> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}, tensor<f16> {graph.gradient = "w"})
    attributes {graph.entry = "step"} {
  %a = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  // expected-error @+1 {{expected the gradient of 'w' in f32 or f64, but got 'f16'; parameters are master weights}}
  %g = graph.cast %a : (tensor<f32>) -> tensor<f16>
  return %a, %g : tensor<f32>, tensor<f16>
}

// -----

// expected-error @+1 {{expected 'scaler.scale' to be free for new state, but an argument already has this name}}
func.func @twice(%w: tensor<f32> {graph.parameter = "w"}, %s: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale>}) -> (tensor<f32> {graph.loss}, tensor<f32> {graph.gradient = "w"})
    attributes {graph.entry = "step"} {
  %a = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  return %a, %w : tensor<f32>, tensor<f32>
}

// -----

func.func @two_seeds_one_name(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}, tensor<f32> {graph.gradient = "w"})
    attributes {graph.entry = "step"} {
  // expected-note @+1 {{the first one}}
  %a = graph.constant {graph.seed = "main"} dense<1.0> : tensor<f32>
  // expected-error @+1 {{expected one seed in a step, but got a second one}}
  %b = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  return %a, %b : tensor<f32>, tensor<f32>
}

// -----

// expected-error @+1 {{expected scope per_loss in loss_scale for losses with a backward pass each, but got shared; differentiate and scale with the same settings}}
func.func @one_scale_for_two(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}, tensor<f32> {graph.gradient = "w", graph.of = "main"})
    attributes {graph.entry = "step"} {
  %a = graph.constant {graph.seed = "main"} dense<1.0> : tensor<f32>
  return %a, %w : tensor<f32>, tensor<f32>
}
