// RUN: mpc-opt %s --verify-diagnostics --split-input-file

func.func @autocast_region_c1_arguments() {
  // expected-error@+1 {{expected a body without arguments, but got 1}}
  "graph.autocast_region"() <{settings = #graph.autocast_region<>}> ({
  ^bb0(%x: tensor<4xf32>):
    graph.yield
  }) : () -> ()
  return
}

// -----

func.func @autocast_region_c2_types(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected yielded value 0 of type 'tensor<4xf16>' like its result, but got 'tensor<4xf32>'}}
  %0 = graph.autocast_region <> -> tensor<4xf16> {
    graph.yield %x : tensor<4xf32>
  }
  return
}

// -----

func.func @autocast_region_c2_number(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected as many yielded values as results, but got 0 and 1}}
  %0 = graph.autocast_region <> -> tensor<4xf32> {
  }
  return
}

// -----

// expected-error@+1 {{expected dtype to be f16 or bf16, but got 'f32'}}
func.func @dtype() attributes {test.region = #graph.autocast_region<dtype = f32>} {
  return
}

// -----

// expected-error@+1 {{expected lists to be cuda, cpu or apex, but got 'tpu'}}
func.func @lists() attributes {test.region = #graph.autocast_region<lists = "tpu">} {
  return
}

// -----

func.func @mark_value(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected 'graph.autocast_region' to be a #graph.autocast_region, but got "tail"}}
  %0 = graph.relu %x {graph.autocast_region = "tail"} : tensor<4xf32>
  return
}

// -----

// expected-error@+1 {{expected 'graph.autocast_region' on an op of a function, but found it on a function}}
func.func @mark_place(%x: tensor<4xf32>) attributes {graph.autocast_region = #graph.autocast_region<>} {
  return
}

// -----

func.func @custom_c1_missing(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected a function 'nothing' in the module, but there is none}}
  %0 = graph.custom @nothing(%x) policy = "Deny" : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

module @outer {
  module @something {}
  func.func @custom_c1_other(%x: tensor<4xf32>) {
    // expected-error@+1 {{expected a function 'something' in the module, but it is something else}}
    %0 = graph.custom @something(%x) policy = "Deny" : (tensor<4xf32>) -> tensor<4xf32>
    return
  }
}

// -----

// expected-note@+1 {{the implementation}}
func.func private @external(tensor<4xf32>) -> tensor<4xf32>
func.func @custom_c1_external(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected 'external' to be private and to have a body}}
  %0 = graph.custom @external(%x) policy = "Deny" : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func private @two(%x: tensor<4xf32>, %y: tensor<8xi32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @custom_c2_number(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected as many operands as 'two' has, but got 1 and 2}}
  %0 = graph.custom @two(%x) policy = "Deny" : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func private @two(%x: tensor<4xf32>, %y: tensor<8xi32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @custom_c2_operand(%x: tensor<4xf16>, %y: tensor<8xi64>) {
  // expected-error@+1 {{expected operand 1 to fit 'tensor<8xi32>' of 'two', but got 'tensor<8xi64>'}}
  %0 = graph.custom @two(%x, %y) policy = "Deny" : (tensor<4xf16>, tensor<8xi64>) -> tensor<4xf32>
  return
}

// -----

func.func private @same(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @custom_c2_result(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected result 0 to fit 'tensor<4xf32>' of 'same', but got 'tensor<5xf32>'}}
  %0 = graph.custom @same(%x) policy = "Deny" : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func private @same(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @custom_c3_policy(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected policy to be Allow, Deny, DenyIO, Promote, Infer or Clear, but got 'Maybe'}}
  %0 = graph.custom @same(%x) policy = "Maybe" : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func private @same(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @custom_c4_both(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected one of policy and cast_inputs, but got both}}
  %0 = graph.custom @same(%x) policy = "Deny" cast_inputs = f32 : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @flag(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected true or false, but got 'yes'}}
  %0 = graph.autocast_region <recompute = yes> -> tensor<4xf32> {
    graph.yield %x : tensor<4xf32>
  }
  return
}

// -----

func.func @unknown_word(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected name, enabled, dtype, lists or recompute, but got 'recomput', did you mean 'recompute'?}}
  %0 = graph.autocast_region <recomput = true> -> tensor<4xf32> {
    graph.yield %x : tensor<4xf32>
  }
  return
}

// -----

func.func @two_words(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected one 'name', but got two}}
  %0 = graph.autocast_region <name = "a", name = "b"> -> tensor<4xf32> {
    graph.yield %x : tensor<4xf32>
  }
  return
}
