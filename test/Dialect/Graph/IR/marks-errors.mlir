// RUN: mpc-opt %s --verify-diagnostics --split-input-file

// expected-error@+1 {{argument 0: unknown attribute 'graph.imput', did you mean 'graph.input'?}}
func.func @unknown_on_argument(%x: tensor<4xf32> {graph.imput = "x"}) { return }

// -----

// expected-error@+1 {{argument 0: expected 'graph.loss' on a result of a function, but found it on an argument of a function}}
func.func @wrong_place(%x: tensor<f32> {graph.loss}) { return }

// -----

// expected-error@+1 {{expected 'graph.input' on an argument of a function, but found it on a function}}
func.func @wrong_place_on_function() attributes {graph.input = "x"} { return }

// -----

// expected-error@+1 {{argument 0: expected 'graph.input' to be a non-empty string, but got ""}}
func.func @empty_name(%x: tensor<4xf32> {graph.input = ""}) { return }

// -----

// expected-error@+1 {{argument 0: expected 'graph.parameter' to be a non-empty string, but got 3 : i64}}
func.func @number_for_name(%x: tensor<4xf32> {graph.parameter = 3}) { return }

// -----

// expected-error@+1 {{argument 0: expected 'graph.classes' on an input}}
func.func @classes_of_parameter(%x: tensor<4xf32> {graph.parameter = "w", graph.classes = #graph.classes<count = 2>}) { return }

// -----

// expected-error@+1 {{argument 0: expected 'graph.classes' on an input of i32 or i64, but got 'tensor<4xf32>'}}
func.func @classes_of_floats(%x: tensor<4xf32> {graph.input = "x", graph.classes = #graph.classes<count = 2>}) { return }

// -----

// expected-error@+1 {{argument 0: expected 'graph.classes' to be a #graph.classes, but got 10 : i64}}
func.func @bare_classes(%x: tensor<4xi32> {graph.input = "x", graph.classes = 10}) { return }

// -----

// expected-error@+1 {{argument 0: expected label -4294967296 of 'graph.classes' to fit 'i32'}}
func.func @wide_ignored(%x: tensor<4xi32> {graph.input = "x", graph.classes = #graph.classes<count = 2, ignored = -4294967296>}) { return }

// -----

// expected-error@+1 {{expected a count of 1 or more classes, but got 0}}
func.func @no_classes(%x: tensor<4xi32> {graph.input = "x", graph.classes = #graph.classes<count = 0>}) { return }

// -----

// expected-error@+1 {{argument 0: expected 'graph.loss_only' without a value, but got true}}
func.func @loss_only_with_value(%x: tensor<4xi32> {graph.input = "x", graph.loss_only = true}) { return }

// -----

// expected-error@+1 {{argument 0: expected 'graph.frozen' on a parameter}}
func.func @frozen_input(%x: tensor<4xf32> {graph.input = "x", graph.frozen}) { return }

// -----

// expected-error@+1 {{argument 0: expected 'graph.frozen' without a value, but got false}}
func.func @frozen_with_value(%w: tensor<4xf32> {graph.parameter = "w", graph.frozen = false}) { return }

// -----

// expected-error@+1 {{argument 1: expected one of input, parameter and state, but got 'graph.input' and 'graph.parameter'}}
func.func @two_kinds(%x: tensor<4xf32> {graph.input = "x"}, %y: tensor<4xf32> {graph.input = "y", graph.parameter = "y"}) { return }

// -----

// expected-error@+1 {{expected arguments of different names, but 0 and 2 are both "x"}}
func.func @same_name(%x: tensor<4xf32> {graph.input = "x"}, %y: tensor<4xf32>, %z: tensor<4xf32> {graph.parameter = "x"}) { return }

// -----

// expected-error@+1 {{argument 0: expected 'graph.init' on a parameter}}
func.func @init_of_input(%x: tensor<4xf32> {graph.init = #graph.zeros, graph.input = "x"}) { return }

// -----

// expected-error@+1 {{argument 0: expected 'graph.init' to be '#graph.zeros', '#graph.fill<value>', '#graph.normal<mean, stddev>' or '#graph.uniform<low, high>', but got 1.000000e+00 : f32}}
func.func @init_is_number(%x: tensor<4xf32> {graph.init = 1.0 : f32, graph.parameter = "x"}) { return }

// -----

// expected-error@+1 {{argument 0: expected the initialiser of 'tensor<i32>' to be #graph.zeros or a #graph.fill of a whole number in its range, but got #graph.fill<0.5>}}
func.func @half_an_integer(%x: tensor<i32> {graph.state = #graph.state<"x" hyperparameter init #graph.fill<0.5>>}) { return }

// -----

// expected-error@+1 {{argument 0: expected a parameter of floats, but got 'tensor<4xi32>'}}
func.func @integer_parameter(%x: tensor<4xi32> {graph.parameter = "x"}) { return }

// -----

// expected-error@+1 {{argument 0: expected 'graph.input' on a static, non-empty tensor of f64, f32, f16, bf16, i64, i32 or i1 elements, but got 'tensor<?xf32>'}}
func.func @dynamic_input(%x: tensor<?xf32> {graph.input = "x"}) { return }

// -----

// expected-error@+1 {{argument 0: expected 'graph.input' on a static, non-empty tensor of f64, f32, f16, bf16, i64, i32 or i1 elements, but got 'tensor<4xf8E4M3FN>'}}
func.func @f8_input(%x: tensor<4xf8E4M3FN> {graph.input = "x"}) { return }

// -----

// expected-error@+1 {{argument 0: expected 'graph.state' to be a #graph.state, but got "x"}}
func.func @state_is_name(%x: tensor<4xf32> {graph.state = "x"}) { return }

// -----

// expected-error@+1 {{argument 0: expected a parameter to be marked 'graph.parameter', but got #graph.state<"x" parameter init #graph.zeros>}}
func.func @parameter_as_state(%x: tensor<4xf32> {graph.state = #graph.state<"x" parameter init #graph.zeros>}) { return }

// -----

// expected-error@+1 {{argument 0: expected 'graph.state' on a static, non-empty tensor of f64, f32, f16, bf16, i64, i32 or i1 elements, but got 'tensor<?xf32>'}}
func.func @dynamic_state(%x: tensor<?xf32> {graph.state = #graph.state<"x" hyperparameter>}) { return }

// -----

// expected-error@+1 {{expected hyperparameter "x" to start at #graph.zeros, #graph.fill, #graph.normal or #graph.uniform, but got 1.000000e+00 : f32}}
func.func @state_starts_at_number(%x: tensor<4xf32> {graph.state = #graph.state<"x" hyperparameter init 1.0 : f32>}) { return }

// -----

// expected-error@+1 {{expected `of` and a parameter for moment "x"}}
func.func @moment_of_nothing(%x: tensor<4xf32> {graph.state = #graph.state<"x" moment init #graph.zeros>}) { return }

// -----

// expected-error@+1 {{argument 0: expected 'graph.init' on a parameter}}
func.func @init_of_state(%x: tensor<4xf32> {graph.init = #graph.zeros, graph.state = #graph.state<"x" hyperparameter>}) { return }

// -----

// expected-error@+1 {{expected parameter, weight_copy, moment, scaler, counter, hyperparameter, accumulator, compensation, loss_scale, step_counter, learning_rate, random_seed, random_step or running_statistic, but got 'momentum', did you mean 'moment'?}}
func.func @unknown_role(%x: tensor<4xf32> {graph.state = #graph.state<"x" momentum>}) { return }

// -----

// expected-error@+1 {{result 1: expected a name for each of several losses, as in 'graph.loss = "aux"', but this one or that of result 0 has none}}
func.func @two_losses(%x: tensor<f32>) -> (tensor<f32> {graph.loss}, tensor<f32> {graph.loss}) { return %x, %x : tensor<f32>, tensor<f32> }

// -----

// expected-error@+1 {{result 0: expected a loss of type tensor<f32> or tensor<f64>, but got 'tensor<4xf32>'}}
func.func @loss_per_sample(%x: tensor<4xf32>) -> (tensor<4xf32> {graph.loss}) { return %x : tensor<4xf32> }

// -----

// expected-error@+1 {{result 0: expected a loss of type tensor<f32> or tensor<f64>, but got 'tensor<f16>'}}
func.func @loss_in_f16(%x: tensor<f16>) -> (tensor<f16> {graph.loss}) { return %x : tensor<f16> }

// -----

// expected-error@+1 {{result 0: expected 'graph.loss' without a value or with a name, but got 1 : i64}}
func.func @loss_with_number(%x: tensor<f32>) -> (tensor<f32> {graph.loss = 1}) { return %x : tensor<f32> }

// -----

// expected-error@+1 {{result 1: expected one 'graph.loss' of each name, but result 0 is the same}}
func.func @same_loss(%x: tensor<f32>) -> (tensor<f32> {graph.loss = "a"}, tensor<f32> {graph.loss = "a"}) { return %x, %x : tensor<f32>, tensor<f32> }

// -----

// expected-error@+1 {{result 0: expected 'graph.of' on a gradient}}
func.func @of_no_gradient(%x: tensor<f32>) -> (tensor<f32> {graph.of = "a"}) { return %x : tensor<f32> }

// -----

// Not that 'graph.init' is on no parameter, which it was to be.
// expected-error@+1 {{argument 0: unknown attribute 'graph.paramter', did you mean 'graph.parameter'?}}
func.func @misspelled(%w: tensor<f32> {graph.init = #graph.zeros, graph.paramter = "w"}) { return }

// -----

// expected-error@+1 {{result 0: unknown attribute 'graph.outputs', did you mean 'graph.output'?}}
func.func @unknown_on_result(%x: tensor<f32>) -> (tensor<f32> {graph.outputs = "x"}) { return %x : tensor<f32> }

// -----

// expected-error@+1 {{result 1: expected one 'graph.output' of each name, but result 0 is the same}}
func.func @same_output(%x: tensor<f32>) -> (tensor<f32> {graph.output = "x"}, tensor<f32> {graph.output = "x"}) { return %x, %x : tensor<f32>, tensor<f32> }

// -----

// expected-error@+1 {{result 0: expected 'graph.output' to be a non-empty string, but got unit}}
func.func @output_without_name(%x: tensor<f32>) -> (tensor<f32> {graph.output}) { return %x : tensor<f32> }

// -----

// expected-error@+1 {{expected 'graph.entry' to be one of init, forward, accumulate, step, probe, but got "backward"}}
func.func @entry() attributes {graph.entry = "backward"} { return }

// -----

// expected-error@+1 {{expected 'graph.training' to be a #graph.training, but got "fp16"}}
func.func @training() attributes {graph.training = "fp16"} { return }

// -----

// expected-error@+1 {{unknown attribute 'graph.trainin', did you mean 'graph.training'?}}
func.func @trainin() attributes {graph.trainin = "fp16"} { return }

// -----

func.func @seed_with_value() {
  // expected-error@+1 {{expected 'graph.seed' without a value or with a name, but got 1 : i64}}
  %0 = graph.constant {graph.seed = 1} dense<1.0> : tensor<f32>
  return
}

// -----

func.func @mark_on_op(%x: tensor<f32>) {
  // expected-error@+1 {{expected no attribute of the graph dialect here, but got 'graph.loss'}}
  %0 = graph.exp %x {graph.loss} : tensor<f32>
  return
}

// -----

// expected-error@+1 {{expected 'graph.autocast' to be a dictionary, but got "torch"}}
func.func @autocast() attributes {graph.autocast = "torch"} { return }

// -----

// expected-error@+1 {{expected 'graph.seed' on a graph.constant, but found it on a module}}
module attributes {graph.seed} {}

// -----

// expected-error@+1 {{expected 'graph.target' to be one of cpu, cuda, but got "tpu"}}
module attributes {graph.target = "tpu"} {}

// -----

// expected-error@+1 {{expected 'graph.memory_limit' to be {limit, chunks, recomputed}, i64 of at least 1, 1 and 0, but got {chunks = 0 : i64, limit = 9 : i64, recomputed = 0 : i64}}}
module attributes {graph.memory_limit = {limit = 9, chunks = 0, recomputed = 0}} {}

// -----

// expected-error@+1 {{expected 'graph.memory_limit' to be {limit, chunks, recomputed}, i64 of at least 1, 1 and 0, but got "3GB"}}
module attributes {graph.memory_limit = "3GB"} {}

// -----

// expected-error@+1 {{expected 'graph.memory_limit' to be {limit, chunks, recomputed}, i64 of at least 1, 1 and 0, but got {limit = 9 : i64}}}
module attributes {graph.memory_limit = {limit = 9}} {}

// -----

// expected-error@+1 {{expected 'graph.single_rank' without a value, but got true}}
func.func @alone() attributes {graph.single_rank = true} { return }

// -----

// expected-error@+1 {{argument 0: expected an initialiser in the range of 'f32', but 1.0e+39 is infinite there}}
func.func @fill(%w: tensor<4xf32> {graph.parameter = "w", graph.init = #graph.fill<1.0e39>}) { return }

// -----

// expected-error@+1 {{argument 0: expected an initialiser in the range of 'f32', but 1.0e-46 is 0 there}}
func.func @fill_zero(%w: tensor<4xf32> {graph.parameter = "w", graph.init = #graph.fill<1.0e-46>}) { return }

// -----

// expected-error@+1 {{argument 0: expected an initialiser in the range of 'f32', but 1.0e+39 is infinite there}}
func.func @normal(%w: tensor<4xf32> {graph.parameter = "w", graph.init = #graph.normal<0.0, 1.0e39>}) { return }

// -----

// expected-error@+1 {{argument 0: expected an initialiser in the range of 'f16', but -70000.0 is infinite there}}
func.func @uniform(%w: tensor<4xf16> {graph.parameter = "w", graph.init = #graph.uniform<-7.0e4, 1.0>}) { return }

// -----

// Other types hold the same numbers.
func.func @held(%w: tensor<4xf64> {graph.parameter = "w", graph.init = #graph.fill<1.0e39>},
                %v: tensor<4xbf16> {graph.parameter = "v", graph.init = #graph.uniform<-7.0e4, 1.0>}) { return }

// -----

// expected-error@+1 {{argument 0: expected the initialiser of 'tensor<i32>' to be #graph.zeros or a #graph.fill of a whole number in its range, but got #graph.fill<2147483648.0>}}
func.func @init_beyond_i32(%x: tensor<i32> {graph.state = #graph.state<"x" hyperparameter init #graph.fill<2147483648.0>>}) { return }

// -----

// expected-error@+1 {{argument 0: expected the initialiser of 'tensor<i1>' to be #graph.zeros or a #graph.fill of a whole number in its range, but got #graph.fill<-1.0>}}
func.func @init_beyond_i1(%x: tensor<i1> {graph.state = #graph.state<"x" hyperparameter init #graph.fill<-1.0>>}) { return }

// -----

// expected-error@+1 {{argument 0: expected 'graph.state' on a static, non-empty tensor of f64, f32, f16, bf16, i64, i32 or i1 elements, but got 'tensor<index>'}}
func.func @init_of_index(%x: tensor<index> {graph.state = #graph.state<"x" hyperparameter init #graph.fill<1.0>>}) { return }

// -----

// expected-error@+1 {{argument 0: expected the initialiser of 'tensor<index>' to be #graph.zeros or a #graph.fill of a whole number in its range, but got #graph.fill<1.0>}}
func.func @parameter_of_index(%x: tensor<index> {graph.parameter = "x", graph.init = #graph.fill<1.0>}) { return }

// -----

// Without "graph." in front, of a result, of an argument, and of whatever.
// expected-error@+1 {{result 0: expected an attribute of a dialect, but got 'loss', did you mean 'graph.loss'?}}
func.func @short_result(%x: tensor<f32> {graph.input = "x"}) -> (tensor<f32> {loss}) { return %x : tensor<f32> }

// -----

func.func @short_argument(%y: tensor<f32> {graph.input = "y"},
    // expected-error@+1 {{argument 1: expected an attribute of a dialect, but got 'input', did you mean 'graph.input'?}}
    %x: tensor<f32> {input = "x"}) -> (tensor<f32> {graph.loss}) { return %x : tensor<f32> }

// -----

// expected-error@+1 {{result 0: expected an attribute of a dialect, but got 'main_loss'}}
func.func @short_unknown(%x: tensor<f32>) -> (tensor<f32> {main_loss}) attributes {graph.training = #graph.training<>} { return %x : tensor<f32> }

// -----

// Told at the second of two arguments, not at the function.
func.func @same_names(%x: tensor<f32> {graph.input = "x"},
    // expected-error@+1 {{expected arguments of different names, but 0 and 1 are both "x"}}
    %y: tensor<f32> {graph.parameter = "x"}) { return }
