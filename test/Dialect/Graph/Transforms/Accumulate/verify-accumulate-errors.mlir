// RUN: mpc-opt %s --mpc-verify-accumulate --split-input-file --verify-diagnostics

// expected-error @+1 {{expected 1 entries 'accumulate' beside a step of 2 micro-batches, but got 0}}
func.func @alone(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.gradient = "w"})
    attributes {graph.entry = "step", graph.training = #graph.training<accumulate = 2>} {
  return %w : tensor<f32>
}

// -----

// expected-error @+1 {{expected no accumulator in a step of one micro-batch, but got 'w.grad'}}
func.func @single(%w: tensor<f32> {graph.parameter = "w"}, %a: tensor<f32> {graph.state = #graph.state<"w.grad" accumulator>})
    -> (tensor<f32> {graph.gradient = "w"}) attributes {graph.entry = "step"} {
  return %w : tensor<f32>
}

// -----

func.func @acc(%x: tensor<f32> {graph.input = "x"}) attributes {graph.entry = "accumulate"} {
  return
}
func.func @seed(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.gradient = "w"})
    attributes {graph.entry = "step", graph.training = #graph.training<accumulate = 2>} {
  // expected-error @+1 {{expected the seed to be divided by the 2 micro-batches of a step, but got dense<1.000000e+00> : tensor<f32>}}
  %seed = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  return %seed : tensor<f32>
}

// -----

func.func @acc(%x: tensor<f32> {graph.input = "x"}) attributes {graph.entry = "accumulate"} {
  return
}
func.func @forgotten(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.gradient = "w"})
    attributes {graph.entry = "step", graph.training = #graph.training<accumulate = 2>} {
  // expected-error @+1 {{expected the sum over all micro-batches as gradient, but got another value}}
  %g = graph.exp %w : tensor<f32>
  return %g : tensor<f32>
}

// -----

func.func @acc(%x: tensor<f32> {graph.input = "x"}) attributes {graph.entry = "accumulate"} {
  return
}
func.func @keeps(%w: tensor<f32> {graph.parameter = "w"}, %a: tensor<f32> {graph.state = #graph.state<"w.grad" accumulator of "w">})
    -> (tensor<f32> {graph.gradient = "w"}, tensor<f32> {graph.updates = "w.grad"})
    attributes {graph.entry = "step", graph.training = #graph.training<accumulate = 2>} {
  %g = graph.exp %w : tensor<f32>
  // expected-error @+1 {{expected a step to leave zeros in 'w.grad', but got another value}}
  %total = graph.add %a, %g : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %total, %total : tensor<f32>, tensor<f32>
}

// -----

func.func @acc(%x: tensor<f32> {graph.input = "x"}) attributes {graph.entry = "accumulate"} {
  return
}
// expected-error @+1 {{expected 'w.grad' to be read once, by a graph.add, but got another use}}
func.func @leaks(%w: tensor<f32> {graph.parameter = "w"}, %a: tensor<f32> {graph.state = #graph.state<"w.grad" accumulator of "w">})
    -> (tensor<f32> {graph.gradient = "w"}, tensor<f32> {graph.output = "a"})
    attributes {graph.entry = "step", graph.training = #graph.training<accumulate = 2>} {
  %total = graph.add %a, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %total, %a : tensor<f32>, tensor<f32>
}

// -----

func.func @acc(%x: tensor<f32> {graph.input = "x"}) attributes {graph.entry = "accumulate"} {
  return
}
// expected-error @+1 {{expected a next value of 'w.grad', but no result updates it}}
func.func @stays(%w: tensor<f32> {graph.parameter = "w"}, %a: tensor<f32> {graph.state = #graph.state<"w.grad" accumulator of "w">})
    -> (tensor<f32> {graph.gradient = "w"})
    attributes {graph.entry = "step", graph.training = #graph.training<accumulate = 2>} {
  %total = graph.add %a, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %total : tensor<f32>
}

// -----

func.func @acc(%x: tensor<f32> {graph.input = "x"}) attributes {graph.entry = "accumulate"} {
  return
}
func.func @bypass(%w: tensor<f32> {graph.parameter = "w"}, %s: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale>},
                  %a: tensor<f32> {graph.state = #graph.state<"w.grad" accumulator of "w">})
    -> (tensor<f32> {graph.gradient = "w"}, tensor<f32> {graph.updates = "w.grad"})
    attributes {graph.entry = "step", graph.training = #graph.training<accumulate = 2>} {
  %seed = graph.constant {graph.seed} dense<0.5> : tensor<f32>
  %scaled = graph.scale %seed, %s : tensor<f32>, tensor<f32>
  // expected-error @+1 {{expected scaled gradients in 'w.grad', but no graph.scale reaches this one}}
  %total = graph.add %a, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %u, %inf = graph.unscale %s, %total : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  %zero = graph.constant dense<0.0> : tensor<f32>
  return %u, %zero : tensor<f32>, tensor<f32>
}

// -----

// The entry accumulate. The step beside it is as it should be.
func.func @unscales(%w: tensor<f32> {graph.parameter = "w"}, %s: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale>},
                    %a: tensor<f32> {graph.state = #graph.state<"w.grad" accumulator of "w">})
    -> (tensor<f32> {graph.updates = "w.grad"}) attributes {graph.entry = "accumulate"} {
  %next = graph.add %a, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // expected-error @+1 {{expected gradients to be reduced and unscaled in 'step' alone, but got 'graph.unscale' in 'accumulate'}}
  %u, %inf = graph.unscale %s, %next : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<i1>)
  return %next : tensor<f32>
}
func.func @step(%w: tensor<f32> {graph.parameter = "w"}, %a: tensor<f32> {graph.state = #graph.state<"w.grad" accumulator of "w">})
    -> (tensor<f32> {graph.gradient = "w"}, tensor<f32> {graph.updates = "w.grad"})
    attributes {graph.entry = "step", graph.training = #graph.training<accumulate = 2>} {
  %total = graph.add %a, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %zero = graph.constant dense<0.0> : tensor<f32>
  return %total, %zero : tensor<f32>, tensor<f32>
}

// -----

func.func @shows(%w: tensor<f32> {graph.parameter = "w"}, %s: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale>},
                 %a: tensor<f32> {graph.state = #graph.state<"w.grad" accumulator of "w">})
    -> (tensor<f32> {graph.output = "g"}, tensor<f32> {graph.updates = "w.grad"}) attributes {graph.entry = "accumulate"} {
  // expected-error @+1 {{expected outputs that are not scaled, but got a scaled result #0}}
  %scaled = graph.scale %w, %s : tensor<f32>, tensor<f32>
  %next = graph.add %a, %scaled : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %scaled, %next : tensor<f32>, tensor<f32>
}
func.func @step(%w: tensor<f32> {graph.parameter = "w"}, %a: tensor<f32> {graph.state = #graph.state<"w.grad" accumulator of "w">})
    -> (tensor<f32> {graph.gradient = "w"}, tensor<f32> {graph.updates = "w.grad"})
    attributes {graph.entry = "step", graph.training = #graph.training<accumulate = 2>} {
  %total = graph.add %a, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %zero = graph.constant dense<0.0> : tensor<f32>
  return %total, %zero : tensor<f32>, tensor<f32>
}

// -----

func.func @trains(%w: tensor<f32> {graph.parameter = "w"}, %a: tensor<f32> {graph.state = #graph.state<"w.grad" accumulator of "w">})
    -> (tensor<f32> {graph.updates = "w"}, tensor<f32> {graph.updates = "w.grad"}) attributes {graph.entry = "accumulate"} {
  // expected-error @+1 {{expected the next value of 'w' to be an accumulator plus the value of this micro-batch, but got another value}}
  %trained = graph.exp %w : tensor<f32>
  %next = graph.add %a, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %trained, %next : tensor<f32>, tensor<f32>
}
func.func @step(%w: tensor<f32> {graph.parameter = "w"}, %a: tensor<f32> {graph.state = #graph.state<"w.grad" accumulator of "w">})
    -> (tensor<f32> {graph.gradient = "w"}, tensor<f32> {graph.updates = "w.grad"})
    attributes {graph.entry = "step", graph.training = #graph.training<accumulate = 2>} {
  %total = graph.add %a, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %zero = graph.constant dense<0.0> : tensor<f32>
  return %total, %zero : tensor<f32>, tensor<f32>
}

// -----

// expected-error @+1 {{expected 'step' to read 'v.grad', which 'accumulate' adds to}}
func.func @other(%w: tensor<f32> {graph.parameter = "w"}, %a: tensor<f32> {graph.state = #graph.state<"v.grad" accumulator of "w">})
    -> (tensor<f32> {graph.updates = "v.grad"}) attributes {graph.entry = "accumulate"} {
  %next = graph.add %a, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %next : tensor<f32>
}
func.func @step(%w: tensor<f32> {graph.parameter = "w"}, %a: tensor<f32> {graph.state = #graph.state<"w.grad" accumulator of "w">})
    -> (tensor<f32> {graph.gradient = "w"}, tensor<f32> {graph.updates = "w.grad"})
    attributes {graph.entry = "step", graph.training = #graph.training<accumulate = 2>} {
  %total = graph.add %a, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %zero = graph.constant dense<0.0> : tensor<f32>
  return %total, %zero : tensor<f32>, tensor<f32>
}

// -----

// expected-error @+1 {{expected 'accumulate' to add to all 1 accumulators of 'step', but got 0}}
func.func @fewer(%w: tensor<f32> {graph.parameter = "w"}) attributes {graph.entry = "accumulate"} {
  return
}
func.func @step(%w: tensor<f32> {graph.parameter = "w"}, %a: tensor<f32> {graph.state = #graph.state<"w.grad" accumulator of "w">})
    -> (tensor<f32> {graph.gradient = "w"}, tensor<f32> {graph.updates = "w.grad"})
    attributes {graph.entry = "step", graph.training = #graph.training<accumulate = 2>} {
  %total = graph.add %a, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %zero = graph.constant dense<0.0> : tensor<f32>
  return %total, %zero : tensor<f32>, tensor<f32>
}

// -----

// Of constants only zero needs no sum.
func.func @acc(%x: tensor<f32> {graph.input = "x"}) attributes {graph.entry = "accumulate"} {
  return
}
func.func @constant(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.gradient = "w"})
    attributes {graph.entry = "step", graph.training = #graph.training<accumulate = 2>} {
  // expected-error @+1 {{expected the sum over all micro-batches as gradient, but got another value}}
  %seed = graph.constant {graph.seed} dense<0.5> : tensor<f32>
  return %seed : tensor<f32>
}
