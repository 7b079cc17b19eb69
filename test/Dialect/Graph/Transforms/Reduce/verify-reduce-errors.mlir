// RUN: mpc-opt %s --mpc-verify-reduce --split-input-file --verify-diagnostics

func.func @twice(%g: tensor<f32> {graph.input = "g"}) -> (tensor<f32> {graph.gradient = "w"}) attributes {graph.entry = "step"} {
  // expected-note @+1 {{reduced here first}}
  %a = graph.all_reduce #graph.reduce_kind<average> %g group = "data" bucket = 0 : (tensor<f32>) -> tensor<f32>
  // expected-error @+1 {{expected input #0 to be reduced once, but got one that is reduced twice}}
  %b = graph.all_reduce #graph.reduce_kind<average> %a group = "data" bucket = 1 : (tensor<f32>) -> tensor<f32>
  return %b : tensor<f32>
}

// -----

func.func @after_unscale(%g: tensor<f32> {graph.input = "g"}, %s: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale>}) -> (tensor<f32> {graph.gradient = "w"}) attributes {graph.entry = "step"} {
  // expected-note @+1 {{unscaled here}}
  %u, %inf = graph.unscale %s, %g : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  // expected-error @+1 {{expected gradients to be reduced before they are unscaled and checked, but got input #0 after graph.unscale}}
  %b = graph.all_reduce #graph.reduce_kind<average> %u group = "data" bucket = 1 : (tensor<f32>) -> tensor<f32>
  return %b : tensor<f32>
}

// -----

func.func @same_number(%g: tensor<f32> {graph.input = "g"}, %h: tensor<f32> {graph.input = "h"}) -> (tensor<f32> {graph.gradient = "w"}, tensor<f32> {graph.gradient = "v"}) attributes {graph.entry = "step"} {
  // expected-note @+1 {{the first one}}
  %a = graph.all_reduce #graph.reduce_kind<average> %g group = "data" bucket = 3 : (tensor<f32>) -> tensor<f32>
  // expected-error @+1 {{expected each bucket to have its own number, but got 3 twice}}
  %b = graph.all_reduce #graph.reduce_kind<average> %h group = "data" bucket = 3 : (tensor<f32>) -> tensor<f32>
  return %a, %b : tensor<f32>, tensor<f32>
}

// -----

func.func @unlike(%g: tensor<f32> {graph.input = "g"}, %h: tensor<f32> {graph.input = "h"}) -> (tensor<f32> {graph.gradient = "w"}, tensor<f32> {graph.gradient = "v"}) attributes {graph.entry = "step"} {
  // expected-note @+1 {{the first bucket}}
  %a = graph.all_reduce #graph.reduce_kind<average> %g group = "data" bucket = 0 : (tensor<f32>) -> tensor<f32>
  // expected-error @+1 {{expected all buckets to be reduced alike, but got sum over 'data' and average over 'data'}}
  %b = graph.all_reduce #graph.reduce_kind<sum> %h group = "data" bucket = 1 : (tensor<f32>) -> tensor<f32>
  return %a, %b : tensor<f32>, tensor<f32>
}

// -----

func.func @not_reduced_unscaled(%g: tensor<f32> {graph.input = "g"}, %s: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale>}) -> (tensor<f32> {graph.gradient = "w"}) attributes {graph.entry = "step"} {
  // expected-error @+1 {{expected gradients that are reduced, but no graph.all_reduce reaches gradient #0}}
  %u, %inf = graph.unscale %s, %g : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  return %u : tensor<f32>
}

// -----

func.func @not_reduced(%g: tensor<f32> {graph.input = "g"}) -> (tensor<f32> {graph.gradient = "w"}) attributes {graph.entry = "step"} {
  // expected-error @+1 {{expected the gradient of 'w' to be reduced, but no graph.all_reduce reaches it}}
  %u = graph.neg %g : tensor<f32>
  return %u : tensor<f32>
}

// -----

func.func @reduced_alone(%g: tensor<f32> {graph.input = "g"}) -> (tensor<f32> {graph.gradient = "w"}) attributes {graph.entry = "step", graph.single_rank} {
  // expected-error @+1 {{expected no graph.all_reduce in a step for one rank, which 'reduced_alone' is marked as}}
  %r = graph.all_reduce #graph.reduce_kind<average> %g group = "data" bucket = 0 : (tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// Of sums over micro-batches the step alone is asked to reduce them.
func.func @early_accumulate(%g: tensor<f32> {graph.input = "g"}, %w: tensor<f32> {graph.parameter = "w"}, %s: tensor<f32> {graph.state = #graph.state<"w.grad" accumulator of "w" init #graph.zeros>})
    -> (tensor<f32> {graph.updates = "w.grad"}) attributes {graph.entry = "accumulate"} {
  // expected-error @+1 {{expected the sum over micro-batches to be reduced, by 'step' alone, but got an all-reduce in 'accumulate'}}
  %r = graph.all_reduce #graph.reduce_kind<average> %g group = "data" bucket = 0 : (tensor<f32>) -> tensor<f32>
  %n = graph.add %s, %r : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %n : tensor<f32>
}
func.func @early_step(%g: tensor<f32> {graph.input = "g"}, %w: tensor<f32> {graph.parameter = "w"}, %s: tensor<f32> {graph.state = #graph.state<"w.grad" accumulator of "w" init #graph.zeros>})
    -> (tensor<f32> {graph.gradient = "w"}) attributes {graph.entry = "step", graph.training = #graph.training<accumulate = 4>} {
  %n = graph.add %s, %g : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %r = graph.all_reduce #graph.reduce_kind<average> %n group = "data" bucket = 0 : (tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// Of each micro-batch: the sum is not what is to be reduced.
func.func @late_step(%g: tensor<f32> {graph.input = "g"}, %w: tensor<f32> {graph.parameter = "w"}, %s: tensor<f32> {graph.state = #graph.state<"w.grad" accumulator of "w" init #graph.zeros>})
    -> (tensor<f32> {graph.gradient = "w"}) attributes {graph.entry = "step", graph.training = #graph.training<accumulate = 4, reduce_each = "micro-batch">} {
  // expected-error @+1 {{expected what a micro-batch adds to a sum of gradients to be reduced (reduce_each = micro-batch), but no graph.all_reduce reaches it}}
  %n = graph.add %s, %g : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %r = graph.all_reduce #graph.reduce_kind<average> %n group = "data" bucket = 0 : (tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// -----

func.func @silent_accumulate(%g: tensor<f32> {graph.input = "g"}, %w: tensor<f32> {graph.parameter = "w"}, %s: tensor<f32> {graph.state = #graph.state<"w.grad" accumulator of "w" init #graph.zeros>})
    -> (tensor<f32> {graph.updates = "w.grad"}) attributes {graph.entry = "accumulate"} {
  // expected-error @+1 {{expected what a micro-batch adds to a sum of gradients to be reduced (reduce_each = micro-batch), but no graph.all_reduce reaches it}}
  %n = graph.add %s, %g : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %n : tensor<f32>
}
func.func @silent_step(%g: tensor<f32> {graph.input = "g"}, %w: tensor<f32> {graph.parameter = "w"}, %s: tensor<f32> {graph.state = #graph.state<"w.grad" accumulator of "w" init #graph.zeros>})
    -> (tensor<f32> {graph.gradient = "w"}) attributes {graph.entry = "step", graph.training = #graph.training<accumulate = 4, reduce_each = "micro-batch">} {
  %r = graph.all_reduce #graph.reduce_kind<average> %g group = "data" bucket = 0 : (tensor<f32>) -> tensor<f32>
  %n = graph.add %s, %r : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %n : tensor<f32>
}

// -----

func.func @statistic(%s: tensor<4xf32> {graph.input = "s"}, %m: tensor<4xf32> {graph.state = #graph.state<"m" running_statistic init #graph.zeros>}) -> (tensor<4xf32> {graph.updates = "m"}) attributes {graph.entry = "step"} {
  // expected-error @+1 {{expected what a running statistic is moved towards to be averaged over ranks, but got another value}}
  %0 = graph.moving_average %m, %s momentum = 0.1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @statistic_added_up(%s: tensor<4xf32> {graph.input = "s"}, %m: tensor<4xf32> {graph.state = #graph.state<"m" running_statistic init #graph.zeros>}) -> (tensor<4xf32> {graph.updates = "m"}) attributes {graph.entry = "step"} {
  %a = graph.all_reduce #graph.reduce_kind<sum> %s group = "data" bucket = 0 : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{expected what a running statistic is moved towards to be averaged over ranks, but got another value}}
  %0 = graph.moving_average %m, %a momentum = 0.1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
