// A word that an op does not know is named, with those that it does.
// RUN: mpc-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<4x8xf32>) -> tensor<4x1xf32> {
  // expected-error @below {{custom op 'graph.sum' expected 'keep', 'dtype' or ':', but got 'keep_dimz', did you mean 'keep'?}}
  %0 = graph.sum %x dims = [1] keep_dimz : (tensor<4x8xf32>) -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w: tensor<6x8xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{custom op 'graph.matmul' expected 'bias', 'transpose_lhs', 'transpose_rhs', 'dtype' or ':', but got 'transposed_rhs', did you mean 'transpose_rhs'?}}
  %0 = graph.matmul %x, %w transposed_rhs : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

// Words have an order.
func.func @f(%x: tensor<8x4xf32>, %w: tensor<6x8xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{custom op 'graph.matmul' expected 'transpose_lhs' in another place: words stand in the order 'bias', 'transpose_lhs', 'transpose_rhs' and 'dtype', each once}}
  %0 = graph.matmul %x, %w transpose_rhs transpose_lhs : (tensor<8x4xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{custom op 'graph.gelu' expected 'kind' in another place, and once}}
  %0 = graph.gelu %x kind = <tanh> kind = <tanh> : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

func.func @f(%q: tensor<1x4x2x8xf32>) -> tensor<1x4x2x8xf32> {
  // expected-error @below {{custom op 'graph.scaled_dot_product_attention' expected 'mask', 'causal', 'window', 'scale', 'softcap', 'dropout', 'stream', 'key' or ':', but got 'is_causal', did you mean 'causal'?}}
  %0 = graph.scaled_dot_product_attention %q, %q, %q is_causal : (tensor<1x4x2x8xf32>, tensor<1x4x2x8xf32>, tensor<1x4x2x8xf32>) -> tensor<1x4x2x8xf32>
  return %0 : tensor<1x4x2x8xf32>
}

// -----

// Nothing is near.
func.func @f(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  // expected-error @below {{custom op 'graph.var' expected 'keep', 'correction' or ':', but got 'unbiased'}}
  %0 = graph.var %x dims = [1] unbiased : (tensor<4x8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// An op that knows no word.
func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{custom op 'graph.add' expected ':', but got 'alpha'}}
  %0 = graph.add %x, %x alpha = 2.0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{custom op 'graph.tanh' expected ':', but got 'fast'}}
  %0 = graph.tanh %x fast : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w: tensor<8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{custom op 'graph.layer_norm' expected 'weight', 'bias', 'epsilon' or ':', but got 'eps', did you mean 'epsilon'?}}
  %0 = graph.layer_norm %x weight %w first_dim = 1 eps = 1.0e-5 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Of the update, too.
func.func @f(%p: tensor<4xf32>, %g: tensor<4xf32>, %lr: tensor<f32>) -> tensor<4xf32> {
  // expected-error @below {{custom op 'graph.sgd' expected 'momentum_buffer', 'step' or ':', but got 'steps', did you mean 'step'?}}
  %0 = graph.sgd %p, %g lr %lr steps %lr : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A word that an op needs.
func.func @f(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  // expected-error @below {{custom op 'graph.sum' expected 'dims', but got 'dim', did you mean 'dims'?}}
  %0 = graph.sum %x dim = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  // expected-error @below {{custom op 'graph.sum' expected 'dims', but got 'axis'}}
  %0 = graph.sum %x axis = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  // expected-error @below {{custom op 'graph.sum' expected 'dims = '}}
  %0 = graph.sum %x : (tensor<4x8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// An optional word in front of it is misspelled, or stands twice.
func.func @f(%x: tensor<4x8xf32>, %w: tensor<8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{custom op 'graph.layer_norm' expected 'weight', 'bias' or 'first_dim', but got 'wight', did you mean 'weight'?}}
  %0 = graph.layer_norm %x wight %w first_dim = 1 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w: tensor<8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{custom op 'graph.layer_norm' expected 'weight' in another place: words stand in the order 'weight' and 'bias', each once}}
  %0 = graph.layer_norm %x bias %w weight %w first_dim = 1 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Words of an attribute of an op.
func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{custom op 'graph.gelu' expected erf or tanh, but got 'tahn', did you mean 'tanh'?}}
  %0 = graph.gelu %x kind = <tahn> : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{expected <erf>, <tanh>}}
  %0 = graph.gelu %x kind = "tanh" : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Words of other systems lead to ours.
func.func @f(%x: tensor<4x3x8x8xf32>) -> tensor<4x3x8x8xf32> {
  // expected-error @below {{custom op 'graph.average_pool' expected 'same', 'ceil', 'strides', 'low', 'high', 'dilations', 'count_padding', 'channels_last' or ':', but got 'padding', did you mean 'low' and 'high'?}}
  %0 = graph.average_pool %x kernel = [3, 3] padding = [1, 1] : (tensor<4x3x8x8xf32>) -> tensor<4x3x8x8xf32>
  return %0 : tensor<4x3x8x8xf32>
}

// -----

func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{custom op 'graph.dropout' expected 'ratio', but got 'p', did you mean 'ratio'?}}
  %0 = graph.dropout %x p = 0.1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w: tensor<8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{custom op 'graph.rms_norm' expected 'weight', 'epsilon' or ':', but got 'bias'; a bias is added behind the op, by one of its own}}
  %0 = graph.rms_norm %x weight %w first_dim = 1 bias %w : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

func.func @f(%x: tensor<4x3x8x8xf32>, %w: tensor<5x3x3x3xf32>, %b: tensor<5xf32>) -> tensor<4x5x8x8xf32> {
  // expected-error @below {{custom op 'graph.convolution' expected no other operand, but got ','}}
  %0 = graph.convolution %x, %w, %b same : (tensor<4x3x8x8xf32>, tensor<5x3x3x3xf32>, tensor<5xf32>) -> tensor<4x5x8x8xf32>
  return %0 : tensor<4x5x8x8xf32>
}
