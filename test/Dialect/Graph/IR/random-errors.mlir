// RUN: mpc-opt %s --verify-diagnostics --split-input-file

func.func @dropout_c1_all(%x: tensor<4xf32>) {
  // expected-error@+1 {{'graph.dropout' op expected a ratio in [0, 1), but got 1.0}}
  %0 = graph.dropout %x ratio = 1.0 : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @dropout_c1_negative(%x: tensor<4xf32>) {
  // expected-error@+1 {{'graph.dropout' op expected a ratio in [0, 1), but got -1.000000e-01}}
  %0 = graph.dropout %x ratio = -0.1 : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @dropout_c2_type(%x: tensor<4xf32>) {
  // expected-error@+1 {{'graph.dropout' op failed to verify that all of {input, result} have same type}}
  %0 = graph.dropout %x ratio = 0.1 : (tensor<4xf32>) -> tensor<4xf16>
  return
}

// -----

func.func @dropout_c3_key(%x: tensor<4xf32>, %step: tensor<i32>) {
  // expected-error@+1 {{'graph.dropout' op expected a key of two numbers, of the step and the seed, but got 1}}
  %0 = graph.dropout %x ratio = 0.1 stream = 0 key %step : (tensor<4xf32>, tensor<i32>) -> tensor<4xf32>
  return
}

// -----

func.func @dropout_c3_stream(%x: tensor<4xf32>, %step: tensor<i32>) {
  // expected-error@+1 {{'graph.dropout' op expected a stream beside the key, but got none}}
  %0 = graph.dropout %x ratio = 0.1 key %step, %step : (tensor<4xf32>, tensor<i32>, tensor<i32>) -> tensor<4xf32>
  return
}

// -----

func.func @uniform_c1_order() {
  // expected-error@+1 {{'graph.uniform' op expected low to be less than high, but got 1.000000e+00 and 1.000000e+00}}
  %0 = graph.uniform low = 1.0 high = 1.0 : () -> tensor<4xf32>
  return
}

// -----

func.func @uniform_c1_span() {
  // expected-error@+1 {{'graph.uniform' op expected numbers in the range of 'f16', but got 1.200000e+05}}
  %0 = graph.uniform low = -6.0e4 high = 6.0e4 : () -> tensor<4xf16>
  return
}

// -----

func.func @uniform_c2_stream(%step: tensor<i32>) {
  // expected-error@+1 {{'graph.uniform' op expected a stream beside the key, but got none}}
  %0 = graph.uniform low = 0.0 high = 1.0 key %step, %step : (tensor<i32>, tensor<i32>) -> tensor<4xf32>
  return
}

// -----

func.func @normal_c1_stddev() {
  // expected-error@+1 {{'graph.normal' op expected a stddev that is not negative, but got -1.000000e+00}}
  %0 = graph.normal mean = 0.0 stddev = -1.0 : () -> tensor<4xf32>
  return
}

// -----

func.func @normal_c1_mean() {
  // expected-error@+1 {{'graph.normal' op expected numbers in the range of 'f32', but got 1.000000e+39}}
  %0 = graph.normal mean = 1.0e39 stddev = 1.0 : () -> tensor<4xf32>
  return
}

// -----

func.func @bernoulli_c1_probability() {
  // expected-error@+1 {{'graph.bernoulli' op expected a probability in [0, 1], but got 1.500000e+00}}
  %0 = graph.bernoulli p = 1.5 : () -> tensor<4xi1>
  return
}
