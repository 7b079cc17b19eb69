// Numbers in attributes that are none.
// RUN: mpc-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics

// expected-error @below {{expected a finite number, but got '1e999'}}
"test.op"() {a = #graph.optimizer<name = "adamw", lr = 1e999>} : () -> ()

// -----

// A number has no space in it.
// expected-error @below {{expected '>'}}
"test.op"() {a = #graph.optimizer<name = "adamw", lr = 1 e-3>} : () -> ()

// -----

// expected-error @below {{expected a finite number, but got '1e-'}}
"test.op"() {a = #graph.optimizer<name = "adamw", lr = 1e- 3>} : () -> ()

// -----

// expected-error @below {{expected a finite number, but got '1e'}}
"test.op"() {a = #graph.optimizer<name = "adamw", lr = 1e>} : () -> ()

// -----

// expected-error @below {{expected a finite number, but got '0x10'}}
"test.op"() {a = #graph.optimizer<name = "adamw", lr = 0x10>} : () -> ()

// -----

// expected-error @below {{expected a finite number, but got '"1"'}}
"test.op"() {a = #graph.optimizer<name = "adamw", lr = "1">} : () -> ()

// -----

// expected-error @below {{expected a finite number, but got 'inf'}}
"test.op"() {a = #graph.optimizer<name = "adamw", lr = inf>} : () -> ()

// -----

// expected-error @below {{expected lr >= 0 in the range of f32, but got -0.001}}
"test.op"() {a = #graph.optimizer<name = "adamw", lr = -1e-3>} : () -> ()

// -----

func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{expected a finite number, but got 'nan'}}
  %0 = graph.layer_norm %x first_dim = 1 epsilon = nan : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
