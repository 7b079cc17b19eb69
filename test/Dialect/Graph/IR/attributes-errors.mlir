// RUN: mpc-opt %s --verify-diagnostics --split-input-file --allow-unregistered-dialect

// expected-error@+1 {{expected stddev >= 0, but got -1.0}}
"test.op"() {a = #graph.normal<0.0, -1.0>} : () -> ()

// -----

// expected-error@+1 {{expected low <= high, but got 2.0 and 1.0}}
"test.op"() {a = #graph.uniform<2.0, 1.0>} : () -> ()

// -----

// expected-error@+2 {{expected a finite number, but got 'inf'}}
// expected-error@+1 {{failed to parse Graph_FillAttr parameter 'value'}}
"test.op"() {a = #graph.fill<inf>} : () -> ()

// -----

// expected-error@+2 {{expected a finite number, but got 'nan'}}
// expected-error@+1 {{failed to parse Graph_FillAttr parameter 'value'}}
"test.op"() {a = #graph.fill<nan>} : () -> ()

// -----

// expected-error@+2 {{expected a number, but got "1.0"}}
// expected-error@+1 {{failed to parse Graph_FillAttr parameter 'value'}}
"test.op"() {a = #graph.fill<"1.0">} : () -> ()

// -----

// expected-error@+2 {{expected a number, but got 1.000000e+00 : f32}}
// expected-error@+1 {{failed to parse Graph_FillAttr parameter 'value'}}
"test.op"() {a = #graph.fill<1.0 : f32>} : () -> ()

// -----

// expected-error@+2 {{expected a finite number, but got 0x7FF0000000000000}}
// expected-error@+1 {{failed to parse Graph_FillAttr parameter 'value'}}
"test.op"() {a = #graph.fill<1.0e999>} : () -> ()

// -----

// expected-error@+1 {{expected mode none, static or dynamic, but got 'auto'}}
"test.op"() {a = #graph.loss_scale<mode = "auto">} : () -> ()

// -----

// expected-error@+1 {{expected init > 0, growth > 1, 0 < backoff < 1 and interval >= 1, but got 65536.0, 1.0, 0.5 and 2000}}
"test.op"() {a = #graph.loss_scale<mode = "dynamic", growth = 1.0>} : () -> ()

// -----

// A scale of infinity would skip every step, for ever.
// expected-error@+1 {{expected an init in the range of f32, but got 1.0e+39}}
"test.op"() {a = #graph.loss_scale<mode = "dynamic", init = 1.0e+39>} : () -> ()

// -----

// expected-error@+1 {{expected lr, weight_decay, momentum and epsilon in the range of f32, but got 1.0e+39}}
"test.op"() {a = #graph.optimizer<name = "sgd", lr = 1.0e+39>} : () -> ()

// -----

// expected-error@+1 {{expected optimizer sgd or adamw, but got 'adam'}}
"test.op"() {a = #graph.optimizer<name = "adam", lr = 0.1>} : () -> ()

// -----

// expected-error@+1 {{expected lr, weight_decay, momentum and epsilon >= 0, but got -0.1, 0.0, 0.0 and 1.0e-08}}
"test.op"() {a = #graph.optimizer<name = "sgd", lr = -0.1>} : () -> ()

// -----

// expected-error@+1 {{expected 0 <= beta < 1, but got 0.9 and 1.0}}
"test.op"() {a = #graph.optimizer<name = "adamw", lr = 0.1, beta2 = 1.0>} : () -> ()

// -----

// expected-error@+1 {{expected momentum > 0 with nesterov, but got 0.0}}
"test.op"() {a = #graph.optimizer<name = "sgd", lr = 0.1, nesterov = true>} : () -> ()

// -----

// expected-error@+1 {{expected precision fp32, bf16 or fp16, but got 'fp8'}}
"test.op"() {a = #graph.training<precision = "fp8">} : () -> ()

// -----

// expected-error@+1 {{expected autocast cheapest or torch, but got 'tf'}}
"test.op"() {a = #graph.training<autocast = "tf">} : () -> ()

// -----

// expected-error@+1 {{expected rounding fused or strict, but got 'loose'}}
"test.op"() {a = #graph.training<rounding = "loose">} : () -> ()

// -----

// expected-error@+1 {{expected clip_norm >= 0 and bucket_bytes >= 1, but got -1.0 and 26214400}}
"test.op"() {a = #graph.training<clip_norm = -1.0>} : () -> ()
