// RUN: mpc-opt %s --verify-diagnostics --split-input-file

func.func @typing_error(%x: tensor<4xf32>) {
  // expected-error@+1 {{custom op 'graph.softmaxx' is unknown, did you mean 'graph.softmax'}}
  %0 = graph.softmaxx %x dim = 0 : tensor<4xf32>
  return
}

// -----

// As PyTorch and Keras spell it.
func.func @other_style(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{custom op 'graph.LayerNorm' is unknown, did you mean 'graph.layer_norm'}}
  %0 = graph.LayerNorm %x : tensor<4x4xf32>
  return
}

// -----

// A part of a name.
func.func @part(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{'graph.cross_entropy'}}
  %0 = graph.entropy %x : tensor<4x4xf32>
  return
}

// -----

func.func @nothing_near(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{custom op 'graph.upsample_bilinear2d' is unknown: docs/Ops.md lists the ops of the dialect; one that is made of them is a private function that 'graph.custom' calls}}
  %0 = graph.upsample_bilinear2d %x : tensor<4x4xf32>
  return
}

// -----

// Ops that have another name elsewhere.
func.func @synonym(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{custom op 'graph.swish' is unknown, did you mean 'graph.silu' or 'graph.hardswish'?}}
  %y = graph.swish %x : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @style(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{custom op 'graph.masked_fill' is unknown, did you mean 'graph.select'?}}
  %y = graph.masked_fill %x : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Of an op that has several.
func.func @several(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error@+1 {{custom op 'graph.Gemm' is unknown, did you mean 'graph.matmul'?}}
  %y = graph.Gemm %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

// Without the dialect: MLIR looks for it in another one.
func.func @no_dialect(%x: tensor<4xf32> {graph.input = "x"}) -> tensor<4xf32> {
  // expected-error@+2 {{custom op 'relu' is unknown (tried 'func.relu' as well)}}
  // expected-note@+1 {{did you mean 'graph.relu'?}}
  %y = relu %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @no_dialect_in_region(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = graph.autocast_region <> -> tensor<4xf32> {
    // expected-error@+3 {{not found for custom op 'yield'}}
    // expected-note@+2 {{Available dialects}}
    // expected-note@+1 {{did you mean 'graph.yield'?}}
    yield %x : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}
