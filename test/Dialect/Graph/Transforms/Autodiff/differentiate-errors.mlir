// RUN: mpc-opt %s --split-input-file --mpc-differentiate --verify-diagnostics

// expected-error @below {{expected the name 'model_step' to be free for the training step}}
func.func @model(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}) {
  return %w : tensor<f32>
}
// expected-note @below {{taken here}}
func.func @model_step(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}

// -----

func.func @no_gradient(
    // expected-note @below {{the parameter}}
    %w: tensor<4xf32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}) {
  // expected-error @below {{'graph.global_norm' op has no gradient, but lies between a parameter and the loss}}
  %0 = graph.global_norm %w : (tensor<4xf32>) -> tensor<f32>
  // expected-note @below {{the loss}}
  %1 = graph.exp %0 : tensor<f32>
  return %1 : tensor<f32>
}

// -----

func.func @unused(
    // expected-warning @below {{parameter 'w' does not reach the loss; no step changes it}}
    %w: tensor<4xf32> {graph.parameter = "w"},
    %v: tensor<f32> {graph.parameter = "v"}) -> (tensor<f32> {graph.loss}, tensor<4xf32> {graph.output = "y"}) {
  %0 = graph.exp %w : tensor<4xf32>
  return %v, %0 : tensor<f32>, tensor<4xf32>
}

// -----

// Several are one warning.
func.func @several_unused(
    // expected-warning @below {{2 parameters do not reach the loss: 'w', 'u'; no step changes them}}
    %w: tensor<4xf32> {graph.parameter = "w"},
    %v: tensor<f32> {graph.parameter = "v"},
    %u: tensor<2x3xf32> {graph.parameter = "u"}) -> (tensor<f32> {graph.loss}) {
  return %v : tensor<f32>
}

// -----

// As loss.backward() of a loss that requires no gradient.
func.func @none_reaches(
    // expected-error @below {{parameter 'w' does not reach the loss; a step has nothing to train}}
    %w: tensor<4xf32> {graph.parameter = "w"},
    %f: tensor<f32> {graph.parameter = "f", graph.frozen}) -> (tensor<f32> {graph.loss}, tensor<4xf32> {graph.output = "y"}) {
  %0 = graph.exp %w : tensor<4xf32>
  return %f, %0 : tensor<f32>, tensor<4xf32>
}

// -----

// As loss.backward() of a loss that was detached.
func.func @all_are_stopped(
    // expected-error @below {{2 parameters reach the loss, but no gradient reaches them: 'w', 'u'; a step has nothing to train}}
    %w: tensor<4xf32> {graph.parameter = "w"}, %u: tensor<4xf32> {graph.parameter = "u"}) -> (tensor<f32> {graph.loss}) {
  %0 = graph.mul %w, %u : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.sum %0 dims = [0] : (tensor<4xf32>) -> tensor<f32>
  %2 = graph.stop_gradient %1 : tensor<f32>
  return %2 : tensor<f32>
}

// -----

func.func @learned_mask(%x: tensor<4x3xf32> {graph.parameter = "x"}, %label: tensor<4xi32> {graph.input = "label"}, %mask: tensor<4xf32> {graph.parameter = "mask"}) -> (tensor<f32> {graph.loss}) {
  // expected-error @below {{expected a mask that nothing trained has an effect on, for masks have no gradient: multiply the losses of `reduction = <none>` instead}}
  %loss = graph.cross_entropy %x, %label mask %mask : (tensor<4x3xf32>, tensor<4xi32>, tensor<4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
