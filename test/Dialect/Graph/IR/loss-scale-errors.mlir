// RUN: mpc-opt %s --verify-diagnostics --split-input-file

func.func @scale_f16(%a: tensor<f16>, %b: tensor<f32>) {
  // expected-error@+1 {{operand #0 must be static, non-empty tensor of f64 or f32 elements, but got 'tensor<f16>'}}
  %0 = graph.scale %a, %b : tensor<f16>, tensor<f32>
  return
}

// -----

func.func @scale_f64(%a: tensor<f64>) {
  // expected-error@+1 {{operand #1 must be rank-0 tensor of 32-bit float, but got 'tensor<f64>'}}
  %0 = graph.scale %a, %a : tensor<f64>, tensor<f64>
  return
}

// -----

func.func @unscale_c1_empty(%a: tensor<f32>) {
  // expected-error@+1 {{expected at least one gradient}}
  %0 = graph.unscale %a, : (tensor<f32>) -> tensor<i1>
  return
}

// -----

func.func @unscale_c2_types(%a: tensor<f32>, %b: tensor<4xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<4xf32>', 'tensor<i1>' are incompatible with return type(s) of operation 'tensor<4xf64>', 'tensor<i1>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = graph.unscale %a, %b : (tensor<f32>, tensor<4xf32>) -> (tensor<4xf64>, tensor<i1>)
  return
}

// -----

func.func @unscale_f16(%a: tensor<f32>, %b: tensor<4xf16>) {
  // expected-error@+1 {{operand #1 must be variadic of static, non-empty tensor of f64 or f32 elements, but got 'tensor<4xf16>'}}
  %0:2 = graph.unscale %a, %b : (tensor<f32>, tensor<4xf16>) -> (tensor<4xf16>, tensor<i1>)
  return
}

// -----

func.func @scaler_update_c1_growth(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<i1>) {
  // expected-error@+1 {{expected a finite growth > 1, but got 1.000000e+00}}
  %0:3 = graph.scaler_update %a, %b, %c growth = 1.0 backoff = 0.5 interval = 2000 : (tensor<f32>, tensor<i32>, tensor<i1>) -> (tensor<f32>, tensor<i32>, tensor<i1>)
  return
}

// -----

func.func @scaler_update_c2_backoff(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<i1>) {
  // expected-error@+1 {{expected 0 < backoff < 1, but got 1.500000e+00}}
  %0:3 = graph.scaler_update %a, %b, %c growth = 2.0 backoff = 1.5 interval = 2000 : (tensor<f32>, tensor<i32>, tensor<i1>) -> (tensor<f32>, tensor<i32>, tensor<i1>)
  return
}

// -----

func.func @scaler_update_c3_interval(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<i1>) {
  // expected-error@+1 {{expected an interval >= 1 that fits the i32 tracker, but got 0}}
  %0:3 = graph.scaler_update %a, %b, %c growth = 2.0 backoff = 0.5 interval = 0 : (tensor<f32>, tensor<i32>, tensor<i1>) -> (tensor<f32>, tensor<i32>, tensor<i1>)
  return
}

// -----

func.func @scaler_update_c3_large(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<i1>) {
  // expected-error@+1 {{expected an interval >= 1 that fits the i32 tracker, but got 2147483648}}
  %0:3 = graph.scaler_update %a, %b, %c growth = 2.0 backoff = 0.5 interval = 2147483648 : (tensor<f32>, tensor<i32>, tensor<i1>) -> (tensor<f32>, tensor<i32>, tensor<i1>)
  return
}

// -----

func.func @scaler_update_c4_hysteresis(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<i1>, %d: tensor<i32>) {
  // expected-error@+1 {{expected a hysteresis >= 1 that fits the i32 tracker, but got 0}}
  %0:3 = graph.scaler_update %a, %b, %c growth = 2.0 backoff = 0.5 interval = 2000 {hysteresis = 0 : i64} : (tensor<f32>, tensor<i32>, tensor<i1>) -> (tensor<f32>, tensor<i32>, tensor<i1>)
  return
}

// -----

func.func @scaler_update_c5_no_tracker(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<i1>, %d: tensor<i32>) {
  // expected-error@+1 {{expected a hysteresis tracker and its next value if hysteresis > 1, and only then, but hysteresis is 2}}
  %0:3 = graph.scaler_update %a, %b, %c growth = 2.0 backoff = 0.5 interval = 2000 {hysteresis = 2 : i64} : (tensor<f32>, tensor<i32>, tensor<i1>) -> (tensor<f32>, tensor<i32>, tensor<i1>)
  return
}

// -----

func.func @scaler_update_c5_tracker(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<i1>, %d: tensor<i32>) {
  // expected-error@+1 {{expected a hysteresis tracker and its next value if hysteresis > 1, and only then, but hysteresis is 1}}
  %0:4 = graph.scaler_update %a, %b, %c, %d growth = 2.0 backoff = 0.5 interval = 2000 {delay = 1 : i64} : (tensor<f32>, tensor<i32>, tensor<i1>, tensor<i32>) -> (tensor<f32>, tensor<i32>, tensor<i1>, tensor<i32>)
  return
}

// -----

func.func @scaler_update_c6_refill(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<i1>, %d: tensor<i32>) {
  // expected-error@+1 {{expected refill "growth" or "clean", but got "never"}}
  %0:3 = graph.scaler_update %a, %b, %c growth = 2.0 backoff = 0.5 interval = 2000 {refill = "never"} : (tensor<f32>, tensor<i32>, tensor<i1>) -> (tensor<f32>, tensor<i32>, tensor<i1>)
  return
}

// -----

func.func @scaler_update_c7_delay(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<i1>, %d: tensor<i32>) {
  // expected-error@+1 {{expected a delay >= 0 that fits the i32 tracker, but got -1}}
  %0:3 = graph.scaler_update %a, %b, %c growth = 2.0 backoff = 0.5 interval = 2000 {delay = -1 : i64} : (tensor<f32>, tensor<i32>, tensor<i1>) -> (tensor<f32>, tensor<i32>, tensor<i1>)
  return
}

// -----

func.func @scaler_update_c8_negative(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<i1>, %d: tensor<i32>) {
  // expected-error@+1 {{expected a floor and a ceiling >= 0 in the range of f32, but got -1.000000e+00 : f64 and 0.000000e+00 : f64}}
  %0:3 = graph.scaler_update %a, %b, %c growth = 2.0 backoff = 0.5 interval = 2000 {floor = -1.0 : f64} : (tensor<f32>, tensor<i32>, tensor<i1>) -> (tensor<f32>, tensor<i32>, tensor<i1>)
  return
}

// -----

func.func @scaler_update_c8_large(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<i1>, %d: tensor<i32>) {
  // expected-error@+1 {{expected a floor and a ceiling >= 0 in the range of f32, but got 0.000000e+00 : f64 and 3.500000e+38 : f64}}
  %0:3 = graph.scaler_update %a, %b, %c growth = 2.0 backoff = 0.5 interval = 2000 {ceiling = 3.5e38 : f64} : (tensor<f32>, tensor<i32>, tensor<i1>) -> (tensor<f32>, tensor<i32>, tensor<i1>)
  return
}

// -----

func.func @scaler_update_c8_order(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<i1>, %d: tensor<i32>) {
  // expected-error@+1 {{expected floor <= ceiling, but got 4.000000e+00 : f64 and 2.000000e+00 : f64}}
  %0:3 = graph.scaler_update %a, %b, %c growth = 2.0 backoff = 0.5 interval = 2000 {floor = 4.0 : f64, ceiling = 2.0 : f64} : (tensor<f32>, tensor<i32>, tensor<i1>) -> (tensor<f32>, tensor<i32>, tensor<i1>)
  return
}
