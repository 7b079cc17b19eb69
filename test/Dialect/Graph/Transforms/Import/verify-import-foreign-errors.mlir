// What the gate of stage import asks of ops of other dialects, and of frames.
// RUN: foreign-opt %s --split-input-file --verify-diagnostics --mpc-verify-import

func.func @silent(%x: tensor<8xf32> {graph.input = "x"}) -> (tensor<8xf32> {graph.output = "y"}) {
  // expected-error @below {{expected an op of the graph dialect, or one that says at which precision it may run (AutocastOpInterface), but got 'example.silent'; implement the interface, or write the op as a function of graph ops and call it by graph.custom}}
  %0 = example.silent %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @hollow(%x: tensor<8xf32> {graph.input = "x"}) -> (tensor<8xf32> {graph.output = "y"}) {
  // expected-error @below {{expected 'example.hollow' to say how it is executed: KernelBodyOpInterface, ReductionOpInterface, MovementOpInterface or DecomposableOpInterface}}
  %0 = example.hollow %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @loud(%x: tensor<8xf32> {graph.input = "x"}) -> (tensor<8xf32> {graph.output = "y"}) {
  // expected-error @below {{expected 'example.loud' to have no side effects (the trait Pure)}}
  %0 = example.loud %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @frame(%x: tensor<8xf32> {graph.input = "x"}) -> (tensor<8xf32> {graph.output = "y"}) {
  // expected-error @below {{expected no frames of autocast regions; run mpc-inline-regions first}}
  %0 = graph.autocast_region <> -> tensor<8xf32> {
    graph.yield %x : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func private @body(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{but got 'example.silent'}}
  %0 = example.silent %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @model(%x: tensor<8xf32> {graph.input = "x"}) -> (tensor<8xf32> {graph.output = "y"}) {
  %0 = graph.custom @body(%x) policy = "Deny" : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Said by the interface, whatever the op verifies.
func.func @several_shapes(%x: tensor<8xf32>) {
  // expected-error @below {{expected results of one shape, but got 'tensor<8xf32>' and 'tensor<1x8xf32>'}}
  %0:2 = example.sum_difference %x, %x : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<1x8xf32>)
  return
}
