// RUN: mpc-opt %s --verify-diagnostics --split-input-file

func.func @c1_rank(%q: tensor<2x4x8xf32>, %k: tensor<2x5x2x8xf32>) {
  // expected-error@+2 {{expected query, key and value of one element type with the dims batch, time, head, width, but got 'tensor<2x4x8xf32>', 'tensor<2x5x2x8xf32>' and 'tensor<2x5x2x8xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0, %1 = graph.scaled_dot_product_attention %q, %k, %k : (tensor<2x4x8xf32>, tensor<2x5x2x8xf32>, tensor<2x5x2x8xf32>) -> (tensor<2x4x8xf32>, tensor<2x2x4xf32>)
  return
}

// -----

func.func @c1_type(%q: tensor<2x4x2x8xf32>, %k: tensor<2x5x2x8xf16>) {
  // expected-error@+2 {{expected query, key and value of one element type}}
  // expected-error@+1 {{failed to infer returned types}}
  %0, %1 = graph.scaled_dot_product_attention %q, %k, %k : (tensor<2x4x2x8xf32>, tensor<2x5x2x8xf16>, tensor<2x5x2x8xf16>) -> (tensor<2x4x2x8xf32>, tensor<2x2x4xf32>)
  return
}

// -----

func.func @c2_width(%q: tensor<2x4x2x8xf32>, %k: tensor<2x5x2x6xf32>) {
  // expected-error@+2 {{expected query and key of one width, key and value of one time, and all of one batch, but got 'tensor<2x4x2x8xf32>', 'tensor<2x5x2x6xf32>' and 'tensor<2x5x2x6xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0, %1 = graph.scaled_dot_product_attention %q, %k, %k : (tensor<2x4x2x8xf32>, tensor<2x5x2x6xf32>, tensor<2x5x2x6xf32>) -> (tensor<2x4x2x6xf32>, tensor<2x2x4xf32>)
  return
}

// -----

func.func @c3_heads(%q: tensor<2x4x3x8xf32>, %k: tensor<2x5x2x8xf32>) {
  // expected-error@+2 {{expected as many heads of keys as of values, a divisor of those of queries, but got 3 of queries, 2 of keys and 2 of values}}
  // expected-error@+1 {{failed to infer returned types}}
  %0, %1 = graph.scaled_dot_product_attention %q, %k, %k : (tensor<2x4x3x8xf32>, tensor<2x5x2x8xf32>, tensor<2x5x2x8xf32>) -> (tensor<2x4x3x8xf32>, tensor<2x3x4xf32>)
  return
}

// -----

func.func @c4_mask(%q: tensor<2x4x2x8xf32>, %k: tensor<2x5x2x8xf32>, %m: tensor<5x4xi1>) {
  // expected-error@+1 {{expected a mask that broadcasts to 2x2x4x5 (batch, head, query, key), but got 'tensor<5x4xi1>'}}
  %0, %1 = graph.scaled_dot_product_attention %q, %k, %k mask %m : (tensor<2x4x2x8xf32>, tensor<2x5x2x8xf32>, tensor<2x5x2x8xf32>, tensor<5x4xi1>) -> (tensor<2x4x2x8xf32>, tensor<2x2x4xf32>)
  return
}

// -----

func.func @c4_large_mask(%q: tensor<2x4x2x8xf32>, %k: tensor<2x5x2x8xf32>, %m: tensor<3x2x2x4x5xf32>) {
  // expected-error@+1 {{expected a mask that broadcasts to 2x2x4x5}}
  %0, %1 = graph.scaled_dot_product_attention %q, %k, %k mask %m : (tensor<2x4x2x8xf32>, tensor<2x5x2x8xf32>, tensor<2x5x2x8xf32>, tensor<3x2x2x4x5xf32>) -> (tensor<2x4x2x8xf32>, tensor<2x2x4xf32>)
  return
}

// -----

func.func @c5_window(%q: tensor<2x4x2x8xf32>) {
  // expected-error@+1 {{expected a window of 1 or more keys, but got -1}}
  %0, %1 = graph.scaled_dot_product_attention %q, %q, %q window = -1 : (tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>) -> (tensor<2x4x2x8xf32>, tensor<2x2x4xf32>)
  return
}

// -----

func.func @c5_softcap(%q: tensor<2x4x2x8xf32>) {
  // expected-error@+1 {{expected a softcap above 0, which and whose reciprocal are in the range of 'f32', but got 0.000000e+00}}
  %0, %1 = graph.scaled_dot_product_attention %q, %q, %q softcap = 0.0 : (tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>) -> (tensor<2x4x2x8xf32>, tensor<2x2x4xf32>)
  return
}

// -----

func.func @c5_scale(%q: tensor<2x4x2x8xf32>) {
  // expected-error@+1 {{expected a finite number, but got}}
  %0, %1 = graph.scaled_dot_product_attention %q, %q, %q scale = 0x7FF0000000000000 : (tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>) -> (tensor<2x4x2x8xf32>, tensor<2x2x4xf32>)
  return
}

// -----

func.func @c5_scale_in_f32(%q: tensor<2x4x2x8xf16>) {
  // expected-error@+1 {{expected a scale in the range of 'f32', but got 1.000000e+300}}
  %0, %1 = graph.scaled_dot_product_attention %q, %q, %q scale = 1.0e300 : (tensor<2x4x2x8xf16>, tensor<2x4x2x8xf16>, tensor<2x4x2x8xf16>) -> (tensor<2x4x2x8xf16>, tensor<2x2x4xf32>)
  return
}

// -----

func.func @c5_softcap_in_f32(%q: tensor<2x4x2x8xf32>) {
  // expected-error@+1 {{expected a softcap above 0, which and whose reciprocal are in the range of 'f32', but got}}
  %0, %1 = graph.scaled_dot_product_attention %q, %q, %q softcap = 1.0e-60 : (tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>) -> (tensor<2x4x2x8xf32>, tensor<2x2x4xf32>)
  return
}

// -----

func.func @backward_c1(%q: tensor<2x4x2x8xf32>, %lse: tensor<2x4x2xf32>) {
  // expected-error@+1 {{expected result and cotangent of type 'tensor<2x4x2x8xf32>' and a log-sum-exp of type 'tensor<2x2x4xf32>', but got 'tensor<2x4x2x8xf32>', 'tensor<2x4x2x8xf32>' and 'tensor<2x4x2xf32>'}}
  %0, %1, %2 = graph.scaled_dot_product_attention_backward %q, %q, %q result %q, %lse cotangent %q : (tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2xf32>, tensor<2x4x2x8xf32>) -> (tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>)
  return
}

// -----

func.func @backward_c2(%q: tensor<2x4x2x8xf32>, %lse: tensor<2x2x4xf32>) {
  // expected-error@+2 {{expected `mask_gradient` only beside a mask of floats}}
  // expected-error@+1 {{failed to infer returned types}}
  %0, %1, %2, %3 = graph.scaled_dot_product_attention_backward %q, %q, %q result %q, %lse cotangent %q mask_gradient : (tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x2x4xf32>, tensor<2x4x2x8xf32>) -> (tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x2x4x4xf32>)
  return
}

// -----

func.func @attention_c4_wide_mask(%q: tensor<1x4x2x8xf32>, %m: tensor<4x4xf64>) {
  // expected-error@+1 {{expected an f64 mask beside f64 only, but got it beside 'tensor<1x4x2x8xf32>'}}
  %0:2 = graph.scaled_dot_product_attention %q, %q, %q mask %m : (tensor<1x4x2x8xf32>, tensor<1x4x2x8xf32>, tensor<1x4x2x8xf32>, tensor<4x4xf64>) -> (tensor<1x4x2x8xf32>, tensor<1x2x4xf32>)
  return
}

// -----

func.func @rotary_embedding_c1_odd(%x: tensor<2x6xf32>, %c: tensor<2x1xf32>) {
  // expected-error@+2 {{expected to turn an even number of the elements in the last dim of 2x6, but got 3}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.rotary_embedding %x, %c, %c rotary_width = 3 : (tensor<2x6xf32>, tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @rotary_embedding_c1_wide(%x: tensor<2x6xf32>, %c: tensor<2x4xf32>) {
  // expected-error@+2 {{expected to turn an even number of the elements in the last dim of 2x6, but got 8}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.rotary_embedding %x, %c, %c rotary_width = 8 : (tensor<2x6xf32>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @rotary_embedding_c1_scalar(%x: tensor<f32>, %c: tensor<1xf32>) {
  // expected-error@+2 {{expected to turn an even number of the elements in the last dim of scalar, but got 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.rotary_embedding %x, %c, %c : (tensor<f32>, tensor<1xf32>, tensor<1xf32>) -> tensor<f32>
  return
}

// -----

func.func @rotary_embedding_c2_table(%x: tensor<2x6xf32>, %c: tensor<2x6xf32>) {
  // expected-error@+2 {{expected cosine and sine that broadcast to 2x3, a number for each pair, but got 2x6}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.rotary_embedding %x, %c, %c : (tensor<2x6xf32>, tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @rotary_embedding_c2_rank(%x: tensor<6xf32>, %c: tensor<2x3xf32>) {
  // expected-error@+2 {{expected cosine and sine that broadcast to 3, a number for each pair, but got 2x3}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.rotary_embedding %x, %c, %c : (tensor<6xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @rotary_embedding_c2_types(%x: tensor<6xf32>, %c: tensor<3xf32>, %s: tensor<3xf16>) {
  // expected-error@+2 {{expected cosine and sine of one type, but got 'tensor<3xf32>' and 'tensor<3xf16>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.rotary_embedding %x, %c, %s : (tensor<6xf32>, tensor<3xf32>, tensor<3xf16>) -> tensor<6xf32>
  return
}

// -----

func.func @c6_ratio(%q: tensor<2x4x2x8xf32>) {
  // expected-error@+1 {{expected a dropout between 2^-16 and 1 - 2^-16, but got 1.000000e+00; leave it out for none}}
  %0, %1 = graph.scaled_dot_product_attention %q, %q, %q dropout = 1.0 : (tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>) -> (tensor<2x4x2x8xf32>, tensor<2x2x4xf32>)
  return
}

// -----

func.func @c6_stream(%q: tensor<2x4x2x8xf32>) {
  // expected-error@+1 {{expected `dropout` beside a stream, but got none}}
  %0, %1 = graph.scaled_dot_product_attention %q, %q, %q stream = 1 : (tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>) -> (tensor<2x4x2x8xf32>, tensor<2x2x4xf32>)
  return
}

// -----

func.func @c6_key(%q: tensor<2x4x2x8xf32>, %s: tensor<i32>) {
  // expected-error@+1 {{expected a stream beside the key, but got none}}
  %0, %1 = graph.scaled_dot_product_attention %q, %q, %q dropout = 0.5 key %s, %s : (tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<i32>, tensor<i32>) -> (tensor<2x4x2x8xf32>, tensor<2x2x4xf32>)
  return
}

// -----

func.func @backward_c3_dropout(%q: tensor<2x4x2x8xf32>, %l: tensor<2x2x4xf32>) {
  // expected-error@+1 {{expected a dropout between 2^-16 and 1 - 2^-16, but got -5.000000e-01; leave it out for none}}
  %0:3 = graph.scaled_dot_product_attention_backward %q, %q, %q result %q, %l cotangent %q dropout = -0.5 stream = 1 : (tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x2x4xf32>, tensor<2x4x2x8xf32>) -> (tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>)
  return
}
