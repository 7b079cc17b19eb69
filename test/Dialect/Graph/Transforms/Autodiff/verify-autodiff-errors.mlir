// RUN: mpc-opt %s --mpc-verify-autodiff --split-input-file --verify-diagnostics

// expected-error @+1 {{expected one forward entry beside the step, but got 0}}
func.func @alone(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}) attributes {graph.entry = "step"} {
  return %w : tensor<f32>
}

// -----

// expected-note @+1 {{the forward}}
func.func @m(%x: tensor<f32> {graph.input = "x"}) -> (tensor<f32> {graph.loss}) attributes {graph.entry = "forward"} {
  return %x : tensor<f32>
}
// expected-error @+1 {{expected the step to take the forward's arguments 'tensor<f32>', but got 'tensor<f64>'}}
func.func @m_step(%x: tensor<f64> {graph.input = "x"}) -> (tensor<f64> {graph.loss}) attributes {graph.entry = "step"} {
  return %x : tensor<f64>
}

// -----

// expected-note @+1 {{the forward}}
func.func @m(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}, tensor<f32> {graph.output = "y"}) attributes {graph.entry = "forward"} {
  return %w, %w : tensor<f32>, tensor<f32>
}
// expected-error @+1 {{expected the step to return the forward's results 'tensor<f32>', 'tensor<f32>' first, but got 'tensor<f32>'}}
func.func @m_step(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}) attributes {graph.entry = "step"} {
  return %w : tensor<f32>
}

// -----

func.func @m(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.output = "y"}) attributes {graph.entry = "forward"} {
  return %w : tensor<f32>
}
// expected-error @+1 {{expected a step to return the loss it reduces, but no result is marked 'graph.loss'}}
func.func @m_step(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.output = "y"}) attributes {graph.entry = "step"} {
  return %w : tensor<f32>
}

// -----

func.func @m(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}) attributes {graph.entry = "forward"} {
  return %w : tensor<f32>
}
// expected-error @+1 {{expected a constant marked 'graph.seed' as cotangent of the loss, but got none}}
func.func @m_step(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}, tensor<f32> {graph.gradient = "w"}) attributes {graph.entry = "step"} {
  return %w, %w : tensor<f32>, tensor<f32>
}

// -----

func.func @m(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}) attributes {graph.entry = "forward"} {
  return %w : tensor<f32>
}
func.func @m_step(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}, tensor<f32> {graph.gradient = "w"}) attributes {graph.entry = "step"} {
  // expected-note @+1 {{the first one}}
  %a = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  // expected-error @+1 {{expected one seed, but got a second one}}
  %b = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  return %w, %b : tensor<f32>, tensor<f32>
}

// -----

func.func @m(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}) attributes {graph.entry = "forward"} {
  return %w : tensor<f32>
}
func.func @m_step(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}, tensor<f32> {graph.gradient = "w"}) attributes {graph.entry = "step"} {
  // expected-error @+1 {{expected the seed to be a constant of ones of the loss type 'tensor<f32>', but got another op}}
  %a = graph.constant {graph.seed} dense<2.0> : tensor<f32>
  return %w, %a : tensor<f32>, tensor<f32>
}

// -----

func.func @m(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}) attributes {graph.entry = "forward"} {
  return %w : tensor<f32>
}
// expected-error @+1 {{expected a gradient of 'w', but got none}}
func.func @m_step(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}) attributes {graph.entry = "step"} {
  %a = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  return %w : tensor<f32>
}

// -----

func.func @m(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}) attributes {graph.entry = "forward"} {
  return %w : tensor<f32>
}
func.func @m_step(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}, tensor<f32> {graph.gradient = "v"}) attributes {graph.entry = "step"} {
  // expected-error @+1 {{expected the gradient of a parameter that is trained, but got one of 'v'}}
  %a = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  return %w, %a : tensor<f32>, tensor<f32>
}

// -----

func.func @m(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}) attributes {graph.entry = "forward"} {
  return %w : tensor<f32>
}
func.func @m_step(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}, tensor<f16> {graph.gradient = "w"}) attributes {graph.entry = "step"} {
  %a = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  // expected-error @+1 {{expected the gradient of 'w' in its type 'tensor<f32>', but got 'tensor<f16>'}}
  %g = graph.cast %a : (tensor<f32>) -> tensor<f16>
  return %w, %g : tensor<f32>, tensor<f16>
}

// -----

func.func @m(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}) attributes {graph.entry = "forward"} {
  return %w : tensor<f32>
}
func.func @m_step(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}, tensor<f32> {graph.gradient = "w"}, tensor<f32> {graph.gradient = "w"}) attributes {graph.entry = "step"} {
  // expected-note @+1 {{the first one}}
  %a = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  // expected-error @+1 {{expected one gradient of 'w', but got two}}
  %b = graph.neg %a : tensor<f32>
  return %w, %a, %b : tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

func.func @m(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}) attributes {graph.entry = "forward"} {
  return %w : tensor<f32>
}
func.func @seed_of_all(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}, tensor<f32> {graph.gradient = "w", graph.of = "a"}) attributes {graph.entry = "step"} {
  // expected-note @+1 {{the first one}}
  %a = graph.constant {graph.seed = "a"} dense<1.0> : tensor<f32>
  // expected-error @+1 {{expected one seed, but got a second one}}
  %b = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  return %w, %a : tensor<f32>, tensor<f32>
}

// -----

func.func @m(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}) attributes {graph.entry = "forward"} {
  return %w : tensor<f32>
}
func.func @two_of_a_loss(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}, tensor<f32> {graph.gradient = "w", graph.of = "a"}, tensor<f32> {graph.gradient = "w", graph.of = "b"}, tensor<f32> {graph.gradient = "w", graph.of = "b"}) attributes {graph.entry = "step"} {
  // expected-note @+1 {{the first one}}
  %a = graph.constant {graph.seed = "a"} dense<1.0> : tensor<f32>
  // expected-error @+1 {{expected one gradient of 'w', but got two}}
  %b = graph.constant {graph.seed = "b"} dense<1.0> : tensor<f32>
  return %w, %a, %b, %b : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

func.func @m(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.output = "y"}) attributes {graph.entry = "forward"} {
  // expected-error @+1 {{expected nothing that stops gradients behind the pass that builds them, mpc-differentiate, but got 'graph.stop_gradient'}}
  %0 = graph.stop_gradient %w : tensor<f32>
  return %0 : tensor<f32>
}
