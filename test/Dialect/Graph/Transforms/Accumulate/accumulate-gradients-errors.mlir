// RUN: mpc-opt %s --mpc-accumulate-gradients="accumulate=2" --split-input-file --verify-diagnostics

// expected-error @+1 {{expected a constant marked 'graph.seed' to divide by the number of micro-batches, but got none; run mpc-differentiate first}}
func.func @no_seed(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}, tensor<f32> {graph.gradient = "w"})
    attributes {graph.entry = "step"} {
  return %w, %w : tensor<f32>, tensor<f32>
}

// -----

// expected-note @+1 {{taken here}}
func.func @taken_accumulate(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
// expected-error @+1 {{expected the name 'taken_accumulate' to be free for the micro-batches of the step}}
func.func @taken_step(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}, tensor<f32> {graph.gradient = "w"})
    attributes {graph.entry = "step"} {
  %seed = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  %g = graph.exp %seed : tensor<f32>
  return %w, %g : tensor<f32>, tensor<f32>
}

// -----

// expected-error @+1 {{expected 'w.grad' to be free for new state, but an argument already has this name}}
func.func @state_step(%w: tensor<f32> {graph.parameter = "w"}, %v: tensor<f32> {graph.parameter = "w.grad"})
    -> (tensor<f32> {graph.loss}, tensor<f32> {graph.gradient = "w"}, tensor<f32> {graph.gradient = "w.grad"})
    attributes {graph.entry = "step"} {
  %seed = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  %g = graph.exp %seed : tensor<f32>
  return %w, %g, %g : tensor<f32>, tensor<f32>, tensor<f32>
}
