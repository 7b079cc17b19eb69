// Names go into program files, checkpoints (safetensors: JSON), metrics and
// command lines. What one of them could not hold is refused where it is given.
// RUN: mpc-opt %s --verify-diagnostics --split-input-file

// expected-error@+1 {{argument 0: expected 'graph.parameter' to be another name than '__metadata__', under which checkpoints keep what describes them}}
func.func @metadata(%w: tensor<4xf32> {graph.parameter = "__metadata__"}) { return }

// -----

// expected-error@+1 {{argument 0: expected 'graph.parameter' to be a name in UTF-8 without control characters, but got "\FF\FE"}}
func.func @no_utf8(%w: tensor<4xf32> {graph.parameter = "\FF\FE"}) { return }

// -----

// A surrogate, and a slash that is longer than it need be: both are no UTF-8.
// expected-error@+1 {{expected 'graph.input' to be a name in UTF-8 without control characters, but got "\ED\A0\80"}}
func.func @surrogate(%x: tensor<4xf32> {graph.input = "\ED\A0\80"}) { return }

// -----

// expected-error@+1 {{expected 'graph.input' to be a name in UTF-8 without control characters, but got "\C0\AF"}}
func.func @overlong(%x: tensor<4xf32> {graph.input = "\C0\AF"}) { return }

// -----

// expected-error@+1 {{expected the name of a state to be a name in UTF-8 without control characters, but got "x\00y"}}
func.func @nul(%x: tensor<4xf32> {graph.state = #graph.state<"x\00y" hyperparameter>}) { return }

// -----

// expected-error@+1 {{expected what state 'x' is of to be a name in UTF-8 without control characters, but got "w\0A"}}
func.func @newline(%x: tensor<4xf32> {graph.state = #graph.state<"x" hyperparameter of "w\0A">}) { return }

// -----

// expected-error@+1 {{result 0: expected 'graph.output' to be a name in UTF-8 without control characters, but got "\7F"}}
func.func @output(%x: tensor<f32>) -> (tensor<f32> {graph.output = "\7F"}) { return %x : tensor<f32> }

// -----

// expected-error@+1 {{result 0: expected 'graph.loss' to be a name in UTF-8 without control characters, but got "aux\FF"}}
func.func @loss(%x: tensor<f32>) -> (tensor<f32> {graph.loss = "aux\FF"}) { return %x : tensor<f32> }

// -----

// expected-error@+1 {{result 0: expected 'graph.gradient' to be a name in UTF-8 without control characters, but got "\80"}}
func.func @gradient(%x: tensor<f32>) -> (tensor<f32> {graph.gradient = "\80"}) { return %x : tensor<f32> }

// -----

// expected-error@+1 {{result 0: expected 'graph.updates' to be another name than '__metadata__'}}
func.func @updates(%x: tensor<f32>) -> (tensor<f32> {graph.updates = "__metadata__"}) { return %x : tensor<f32> }

// -----

// expected-error@+1 {{expected the name of a parameter group to be a name in UTF-8 without control characters, but got "a\09b"}}
#group = #graph.parameter_group<name = "a\09b", pattern = ".*", optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>

// -----

// Every other text is a name.
func.func @welcome(%x: tensor<4xf32> {graph.input = "encoder.layers[0]/weight ß \F0\9F\98\80 \"=\\"}) { return }

// -----

// At the line of the argument, of which a model has hundreds.
func.func @line(
    %x: tensor<4xf32> {graph.input = "x"},
    // expected-error@+1 {{argument 1: expected 'graph.parameter' to be another name than '__metadata__'}}
    %w: tensor<4xf32> {graph.parameter = "__metadata__"}) { return }
