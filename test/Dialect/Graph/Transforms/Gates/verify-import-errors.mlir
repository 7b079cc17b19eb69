// RUN: mpc-opt %s --mpc-verify-import --split-input-file --verify-diagnostics

// expected-error @+1 {{expected argument #1 to be marked as one of graph.input and graph.parameter, with a name, but got neither}}
func.func @unmarked(%x: tensor<2xf32> {graph.input = "x"}, %y: tensor<2xf32>) -> (tensor<2xf32> {graph.output = "y"}) {
  return %x : tensor<2xf32>
}

// -----

// expected-error @+1 {{expected another name for parameter 'step': the training step keeps state of its own under it}}
func.func @reserved(%w: tensor<2xf32> {graph.parameter = "step"}) -> (tensor<2xf32> {graph.output = "y"}) {
  return %w : tensor<2xf32>
}

// -----

// expected-error @+1 {{expected parameter 'w' to be f32 or f64, the type of master weights, but got 'tensor<2xf16>'; precision casts it}}
func.func @narrow(%w: tensor<2xf16> {graph.parameter = "w"}) -> (tensor<2xf16> {graph.output = "y"}) {
  return %w : tensor<2xf16>
}

// -----

// expected-error @+1 {{expected result #0 to be marked graph.loss or graph.output, but got neither}}
func.func @unmarked_result(%x: tensor<f32> {graph.input = "x"}) -> tensor<f32> {
  return %x : tensor<f32>
}

// -----

// expected-error @+1 {{expected another name for output 'grad_norm': the training step has an output of this name}}
func.func @reserved_output(%x: tensor<f32> {graph.input = "x"}) -> (tensor<f32> {graph.output = "grad_norm"}) {
  return %x : tensor<f32>
}

// -----

// expected-error @+1 {{expected another name for output 'loss': the result that is marked graph.loss has it}}
func.func @second_loss(%x: tensor<f32> {graph.input = "x"}) -> (tensor<f32> {graph.loss}, tensor<f32> {graph.output = "loss"}) {
  return %x, %x : tensor<f32>, tensor<f32>
}

// -----

// expected-error @+1 {{expected a model, but the module is empty}}
module {}

// -----

// expected-note @+1 {{the first one}}
func.func @first(%x: tensor<f32> {graph.input = "x"}) -> (tensor<f32> {graph.output = "y"}) {
  return %x : tensor<f32>
}
// expected-error @+1 {{expected one model in a module, but got another one, 'second'}}
func.func @second(%x: tensor<f32> {graph.input = "x"}) -> (tensor<f32> {graph.output = "y"}) {
  return %x : tensor<f32>
}

// -----

// expected-error @+1 {{expected every function to be a model with marked arguments, but got 'plain'}}
func.func private @plain(tensor<f32>) -> tensor<f32>

// -----

func.func private @callee(%x: tensor<f32> {graph.input = "x"}) -> (tensor<f32> {graph.output = "y"}) {
  // expected-error @+1 {{expected an op of the graph dialect, or one that says at which precision it may run (AutocastOpInterface), but got 'func.call'; implement the interface, or write the op as a function of graph ops and call it by graph.custom}}
  %0 = func.call @callee(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// expected-warning @+1 {{parameter 'w' reaches no result}}
func.func @unused(%x: tensor<f32> {graph.input = "x"}, %w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.output = "y"}) {
  return %x : tensor<f32>
}

// -----

// Entries come from a later stage.
func.func @entry(%x: tensor<f32> {graph.input = "x"}, %s: tensor<f32> {graph.state = "s"}) -> (tensor<f32> {graph.updates = "s"}) attributes {graph.entry = "step"} {
  return %x : tensor<f32>
}

// -----

// expected-error @+1 {{expected a model to be one block, but got 2}}
func.func @blocks(%x: tensor<f32> {graph.input = "x"}) -> (tensor<f32> {graph.output = "y"}) {
  return %x : tensor<f32>
^unreachable:
  return %x : tensor<f32>
}

// -----

// expected-error @+1 {{expected another name for loss 'y': an output of this name exists}}
func.func @loss_as_output(%x: tensor<f32> {graph.input = "x"}) -> (tensor<f32> {graph.loss = "y"}, tensor<f32> {graph.loss = "z"}, tensor<f32> {graph.output = "y"}) {
  return %x, %x, %x : tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

// expected-error @+1 {{expected another name for loss 'loss': an output of this name exists}}
func.func @loss_of_all(%x: tensor<f32> {graph.input = "x"}) -> (tensor<f32> {graph.loss = "loss"}, tensor<f32> {graph.loss = "z"}) {
  return %x, %x : tensor<f32>, tensor<f32>
}
