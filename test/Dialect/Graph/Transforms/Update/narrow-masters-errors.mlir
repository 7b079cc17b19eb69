// RUN: mpc-opt %s --mpc-narrow-masters --split-input-file --verify-diagnostics

// expected-error @+1 {{expected parameter 'w' to be f32, to be kept in 'bf16' between steps, but got 'tensor<2xf64>'}}
func.func @f64(%w: tensor<2xf64> {graph.parameter = "w"}) -> (tensor<2xf64> {graph.updates = "w"})
    attributes {graph.entry = "step", graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1, master = "bf16">>} {
  return %w : tensor<2xf64>
}

// -----

// expected-error @+1 {{expected a counter of steps to round parameter 'w' stochastically, but got none; run mpc-insert-update first}}
func.func @no_step(%w: tensor<2xf32> {graph.parameter = "w"}) -> (tensor<2xf32> {graph.updates = "w"})
    attributes {graph.entry = "step", graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1, master = "bf16_stochastic">>} {
  %0 = graph.neg %w : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// expected-error @+1 {{expected 'w.compensation' to be free for new state, but an argument already has this name}}
func.func @taken(%w: tensor<2xf32> {graph.parameter = "w"}, %v: tensor<2xf32> {graph.parameter = "w.compensation"}) -> (tensor<2xf32> {graph.updates = "w"})
    attributes {graph.entry = "step", graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1, master = "bf16_kahan">>} {
  %0 = graph.neg %w : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// expected-error @+1 {{expected 'optimizer.rounding_seed' to be free for new state, but an argument already has this name}}
func.func @seed_taken(%w: tensor<2xf32> {graph.parameter = "w"}, %t: tensor<i32> {graph.state = #graph.state<"step" step_counter>}, %s: tensor<i32> {graph.state = #graph.state<"optimizer.rounding_seed" counter>}) -> (tensor<2xf32> {graph.updates = "w"}, tensor<i32> {graph.updates = "step"})
    attributes {graph.entry = "step", graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1, master = "bf16_stochastic">>} {
  %0 = graph.neg %w : tensor<2xf32>
  %1 = graph.neg %t : tensor<i32>
  return %0, %1 : tensor<2xf32>, tensor<i32>
}
