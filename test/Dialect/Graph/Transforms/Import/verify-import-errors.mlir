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

func.func @narrow(
    %x: tensor<2xf16> {graph.input = "x"},
    // expected-error @+1 {{expected parameter 'w' to be f32 or f64, the type of master weights, but got 'tensor<2xf16>'; precision casts it}}
    %w: tensor<2xf16> {graph.parameter = "w"}) -> (tensor<2xf16> {graph.output = "y"}) {
  return %w : tensor<2xf16>
}

// -----

func.func @unmarked(
    %x: tensor<2xf16> {graph.input = "x"},
    // expected-error @+1 {{expected argument #1 to be marked as one of graph.input and graph.parameter, with a name, but got neither}}
    %y: tensor<2xf16>) -> (tensor<2xf16> {graph.output = "y"}) {
  return %y : tensor<2xf16>
}

// -----

func.func @taken(
    %x: tensor<2xf32> {graph.input = "x"},
    // expected-error @+1 {{expected another name for parameter 'step': the training step keeps state of its own under it}}
    %w: tensor<2xf32> {graph.parameter = "step"}) -> (tensor<2xf32> {graph.output = "y"}) {
  return %w : tensor<2xf32>
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

// expected-error @+1 {{expected functions alone in a module, but got 'builtin.unrealized_conversion_cast'}}
%0 = builtin.unrealized_conversion_cast to tensor<f32>
func.func @beside(%x: tensor<f32> {graph.input = "x"}) -> (tensor<f32> {graph.output = "y"}) {
  return %x : tensor<f32>
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
func.func @unused(%x: tensor<f32> {graph.input = "x"}, %w: tensor<f32> {graph.init = #graph.zeros, graph.parameter = "w"}) -> (tensor<f32> {graph.output = "y"}) {
  return %x : tensor<f32>
}

// -----

// Entries come from a later stage.
func.func @entry(%x: tensor<f32> {graph.input = "x"}, %s: tensor<f32> {graph.state = #graph.state<"s" hyperparameter>}) -> (tensor<f32> {graph.updates = "s"}) attributes {graph.entry = "step"} {
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

// -----

// What says nothing starts at nothing: it is not zero in silence, and it is not
// left out of checkpoints as what the entry `init` computes. At its own line.
func.func @no_init(%x: tensor<2xf32> {graph.input = "x"},
    // expected-error @+1 {{expected parameter 'w' to say how it starts, by graph.init = #graph.zeros, #graph.fill<value>, #graph.normal<mean, stddev> or #graph.uniform<low, high>; weights that come from a file replace it}}
    %w: tensor<2xf32> {graph.parameter = "w"}) -> (tensor<2xf32> {graph.output = "y"}) {
  %y = graph.add %x, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// The name of the model goes into checkpoints, too.
// expected-error @+1 {{expected the model's name to be a name in UTF-8 without control characters, but got "m\FF"}}
func.func @"m\FF"(%x: tensor<f32> {graph.input = "x"}) -> (tensor<f32> {graph.output = "y"}) {
  return %x : tensor<f32>
}

// -----

// 63 tensors of 2^42 bytes and the argument are the limit.
func.func @too_large(%x: tensor<1099511627776xf32> {graph.input = "x"}) -> (tensor<f32> {graph.output = "y"}) {
  %0 = graph.exp %x : tensor<1099511627776xf32>
  %1 = graph.exp %0 : tensor<1099511627776xf32>
  %2 = graph.exp %1 : tensor<1099511627776xf32>
  %3 = graph.exp %2 : tensor<1099511627776xf32>
  %4 = graph.exp %3 : tensor<1099511627776xf32>
  %5 = graph.exp %4 : tensor<1099511627776xf32>
  %6 = graph.exp %5 : tensor<1099511627776xf32>
  %7 = graph.exp %6 : tensor<1099511627776xf32>
  %8 = graph.exp %7 : tensor<1099511627776xf32>
  %9 = graph.exp %8 : tensor<1099511627776xf32>
  %10 = graph.exp %9 : tensor<1099511627776xf32>
  %11 = graph.exp %10 : tensor<1099511627776xf32>
  %12 = graph.exp %11 : tensor<1099511627776xf32>
  %13 = graph.exp %12 : tensor<1099511627776xf32>
  %14 = graph.exp %13 : tensor<1099511627776xf32>
  %15 = graph.exp %14 : tensor<1099511627776xf32>
  %16 = graph.exp %15 : tensor<1099511627776xf32>
  %17 = graph.exp %16 : tensor<1099511627776xf32>
  %18 = graph.exp %17 : tensor<1099511627776xf32>
  %19 = graph.exp %18 : tensor<1099511627776xf32>
  %20 = graph.exp %19 : tensor<1099511627776xf32>
  %21 = graph.exp %20 : tensor<1099511627776xf32>
  %22 = graph.exp %21 : tensor<1099511627776xf32>
  %23 = graph.exp %22 : tensor<1099511627776xf32>
  %24 = graph.exp %23 : tensor<1099511627776xf32>
  %25 = graph.exp %24 : tensor<1099511627776xf32>
  %26 = graph.exp %25 : tensor<1099511627776xf32>
  %27 = graph.exp %26 : tensor<1099511627776xf32>
  %28 = graph.exp %27 : tensor<1099511627776xf32>
  %29 = graph.exp %28 : tensor<1099511627776xf32>
  %30 = graph.exp %29 : tensor<1099511627776xf32>
  %31 = graph.exp %30 : tensor<1099511627776xf32>
  %32 = graph.exp %31 : tensor<1099511627776xf32>
  %33 = graph.exp %32 : tensor<1099511627776xf32>
  %34 = graph.exp %33 : tensor<1099511627776xf32>
  %35 = graph.exp %34 : tensor<1099511627776xf32>
  %36 = graph.exp %35 : tensor<1099511627776xf32>
  %37 = graph.exp %36 : tensor<1099511627776xf32>
  %38 = graph.exp %37 : tensor<1099511627776xf32>
  %39 = graph.exp %38 : tensor<1099511627776xf32>
  %40 = graph.exp %39 : tensor<1099511627776xf32>
  %41 = graph.exp %40 : tensor<1099511627776xf32>
  %42 = graph.exp %41 : tensor<1099511627776xf32>
  %43 = graph.exp %42 : tensor<1099511627776xf32>
  %44 = graph.exp %43 : tensor<1099511627776xf32>
  %45 = graph.exp %44 : tensor<1099511627776xf32>
  %46 = graph.exp %45 : tensor<1099511627776xf32>
  %47 = graph.exp %46 : tensor<1099511627776xf32>
  %48 = graph.exp %47 : tensor<1099511627776xf32>
  %49 = graph.exp %48 : tensor<1099511627776xf32>
  %50 = graph.exp %49 : tensor<1099511627776xf32>
  %51 = graph.exp %50 : tensor<1099511627776xf32>
  %52 = graph.exp %51 : tensor<1099511627776xf32>
  %53 = graph.exp %52 : tensor<1099511627776xf32>
  %54 = graph.exp %53 : tensor<1099511627776xf32>
  %55 = graph.exp %54 : tensor<1099511627776xf32>
  %56 = graph.exp %55 : tensor<1099511627776xf32>
  %57 = graph.exp %56 : tensor<1099511627776xf32>
  %58 = graph.exp %57 : tensor<1099511627776xf32>
  %59 = graph.exp %58 : tensor<1099511627776xf32>
  %60 = graph.exp %59 : tensor<1099511627776xf32>
  %61 = graph.exp %60 : tensor<1099511627776xf32>
  %62 = graph.exp %61 : tensor<1099511627776xf32>
  // expected-error @+1 {{expected the tensors of a model to have at most 2^48 bytes together, but those up to here have more}}
  %63 = graph.exp %62 : tensor<1099511627776xf32>
  %s = graph.sum %63 dims = [0] : (tensor<1099511627776xf32>) -> tensor<f32>
  return %s : tensor<f32>
}

// -----

func.func @state_of_a_group(
    // expected-error @+1 {{expected another name for 'g.lr': parameter group 'g' keeps state under it}}
    %w: tensor<f32> {graph.parameter = "g.lr", graph.init = #graph.zeros}) -> (tensor<f32> {graph.loss})
    attributes {graph.training = #graph.training<
      optimizer = #graph.optimizer<name = "sgd", lr = 0.1>,
      groups = [#graph.parameter_group<name = "g", pattern = ".*", optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>]>} {
  return %w : tensor<f32>
}

// -----

// expected-error @+1 {{expected another name for output 'g.grad_norm': parameter group 'g' has an output of this name}}
func.func @output_of_a_group(
    %w: tensor<f32> {graph.parameter = "w", graph.init = #graph.zeros}) -> (tensor<f32> {graph.loss}, tensor<f32> {graph.output = "g.grad_norm"})
    attributes {graph.training = #graph.training<
      optimizer = #graph.optimizer<name = "sgd", lr = 0.1>,
      groups = [#graph.parameter_group<name = "g", pattern = ".*", optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>]>} {
  return %w, %w : tensor<f32>, tensor<f32>
}

// -----

// expected-error @+1 {{expected argument #1 to be marked as one of graph.input and graph.parameter, but got #graph.state<"f" hyperparameter init #graph.fill<1.0>>: models have no states but running statistics}}
func.func @state(%x: tensor<f32> {graph.input = "x"}, %f: tensor<f32> {graph.state = #graph.state<"f" hyperparameter init #graph.fill<1.0>>}) -> (tensor<f32> {graph.output = "y"}) {
  return %f : tensor<f32>
}

// -----

// expected-error @+1 {{expected running statistic 'm' to say how it starts, by init #graph.zeros or #graph.fill<value>}}
func.func @statistic_without_a_start(%x: tensor<4xf32> {graph.input = "x"}, %m: tensor<4xf32> {graph.state = #graph.state<"m" running_statistic>}) -> (tensor<4xf32> {graph.output = "y"}) {
  return %m : tensor<4xf32>
}

// -----

// expected-error @+1 {{expected another name for running statistic 'optimizer.mean': the training step keeps state of its own under it}}
func.func @reserved_statistic(%x: tensor<4xf32> {graph.input = "x"}, %m: tensor<4xf32> {graph.state = #graph.state<"optimizer.mean" running_statistic init #graph.zeros>}) -> (tensor<4xf32> {graph.output = "y"}) {
  return %m : tensor<4xf32>
}

// -----

// expected-error @+1 {{expected 'graph.training', but got 'training', which nobody reads: attributes of the graph dialect have its name in front}}
func.func @without_its_dialect(
    %w: tensor<f32> {graph.parameter = "w", graph.init = #graph.zeros}) -> (tensor<f32> {graph.loss})
    attributes {training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} {
  return %w : tensor<f32>
}

// -----

// What a pass writes of what it has done is no word of a model.
// expected-error @+1 {{expected no 'graph.memory_limit' at a model, since it says what was done to keep a limit: give one by --memory-limit}}
module attributes {graph.memory_limit = {limit = 1000000, chunks = 4, recomputed = 2}} {
  func.func @claims(%w: tensor<2xf32> {graph.parameter = "w", graph.init = #graph.zeros}) -> (tensor<2xf32> {graph.output = "y"}) {
    return %w : tensor<2xf32>
  }
}
