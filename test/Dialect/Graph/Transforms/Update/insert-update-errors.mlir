// RUN: mpc-opt %s --mpc-insert-update --split-input-file --verify-diagnostics
// RUN: not mpc-opt %s --mpc-insert-update="weight-copies=maybe" 2>&1 | FileCheck %s
// CHECK: error: option 'weight-copies=maybe': expected weight_copies persistent or on-the-fly, but got 'maybe'

// expected-error @+1 {{expected an optimizer for the step, but 'graph.training' names none; give option 'optimizer' (sgd, adam, adamw, adagrad, rmsprop, lamb or lomo) and 'lr'}}
func.func @no_optimizer(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.gradient = "w"}) attributes {graph.entry = "step"} {
  return %w : tensor<f32>
}

// -----

// expected-error @+1 {{expected a result marked 'graph.gradient' for parameter 'w', but got none; run mpc-differentiate first}}
func.func @no_gradient(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss})
    attributes {graph.entry = "step", graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} {
  return %w : tensor<f32>
}

// -----

// expected-error @+1 {{expected 'w.momentum_buffer' to be free for new state, but an argument already has this name}}
func.func @taken(%w: tensor<f32> {graph.parameter = "w"}, %v: tensor<f32> {graph.parameter = "w.momentum_buffer"}) -> (tensor<f32> {graph.gradient = "w"}, tensor<f32> {graph.gradient = "w.momentum_buffer"})
    attributes {graph.entry = "step", graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1, momentum = 0.5>>} {
  return %w, %v : tensor<f32>, tensor<f32>
}

// -----

func.func @input_taken(
    // expected-error @+1 {{expected another name for input 'w.momentum_buffer': the training step keeps state of its own under it}}
    %x: tensor<f32> {graph.input = "w.momentum_buffer"},
    %w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.gradient = "w"})
    attributes {graph.entry = "step", graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1, momentum = 0.5>>} {
  return %w : tensor<f32>
}

// -----

// expected-error @+1 {{expected 'w.f16' to be free for new state, but an argument already has this name}}
func.func @copy_taken(%w: tensor<f32> {graph.parameter = "w"}, %v: tensor<f32> {graph.parameter = "w.f16"}) -> (tensor<f16> {graph.output = "y"}) attributes {graph.entry = "forward"} {
  %0 = graph.cast %w because "matmul" : (tensor<f32>) -> tensor<f16>
  return %0 : tensor<f16>
}

// -----

// expected-error @+1 {{output_gradients 'W|head': expected a pattern of the whole name of a parameter that is trained, but it matches none of 'w', 'head.bias'; '.*' matches all}}
func.func @no_match(%w: tensor<f32> {graph.parameter = "w"}, %b: tensor<f32> {graph.parameter = "head.bias"}) -> (tensor<f32> {graph.gradient = "w"}, tensor<f32> {graph.gradient = "head.bias"})
    attributes {graph.entry = "step", graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1>, output_gradients = "W|head">} {
  return %w, %b : tensor<f32>, tensor<f32>
}

// -----

func.func @unmatched(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}, tensor<f32> {graph.output = "y"}) attributes {graph.entry = "forward"} {
  return %w, %w : tensor<f32>, tensor<f32>
}
// Numbers of the step are no outputs of the model.
// expected-error @+1 {{drop_outputs 'z|scale': expected a pattern of the whole name of an output of the model, but it matches none of 'y'; '.*' matches all}}
func.func @unmatched_step(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}, tensor<f32> {graph.output = "y"}, tensor<f32> {graph.output = "scale"}, tensor<f32> {graph.gradient = "w"})
    attributes {graph.entry = "step", graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1>, drop_outputs = "z|scale">} {
  return %w, %w, %w, %w : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

// expected-error @+1 {{expected the name 'gradient.w' to be free for the gradient of 'w', but the model has an output of that name}}
func.func @taken_output(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.output = "gradient.w"}, tensor<f32> {graph.gradient = "w"})
    attributes {graph.entry = "step", graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1>, output_gradients = ".*">} {
  return %w, %w : tensor<f32>, tensor<f32>
}

// -----

// Entries of one model have the same parameters; a dump that was edited may
// not.
// expected-note @+1 {{read here}}
func.func @renamed(%w: tensor<2xf32> {graph.parameter = "old", graph.init = #graph.zeros}) -> (tensor<2xf16> {graph.output = "y"}) attributes {graph.entry = "forward"} {
  %0 = graph.cast %w because "matmul runs in f16" : (tensor<2xf32>) -> tensor<2xf16>
  return %0 : tensor<2xf16>
}
// expected-error @+1 {{expected the step to update parameter 'old' of 'tensor<2xf32>', which another entry of the model reads, but it has no such parameter}}
func.func @renamed_step(%w: tensor<2xf32> {graph.parameter = "new", graph.init = #graph.zeros}) -> (tensor<2xf32> {graph.gradient = "new"})
    attributes {graph.entry = "step", graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} {
  return %w : tensor<2xf32>
}

// -----

// expected-note @+1 {{read here}}
func.func @resized(%w: tensor<2xf32> {graph.parameter = "w", graph.init = #graph.zeros}) -> (tensor<2xf16> {graph.output = "y"}) attributes {graph.entry = "forward"} {
  %0 = graph.cast %w because "matmul runs in f16" : (tensor<2xf32>) -> tensor<2xf16>
  return %0 : tensor<2xf16>
}
// expected-error @+1 {{expected the step to update parameter 'w' of 'tensor<2xf32>', which another entry of the model reads, but it has another type there}}
func.func @resized_step(%w: tensor<3xf32> {graph.parameter = "w", graph.init = #graph.zeros}) -> (tensor<3xf32> {graph.gradient = "w"})
    attributes {graph.entry = "step", graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} {
  return %w : tensor<3xf32>
}
