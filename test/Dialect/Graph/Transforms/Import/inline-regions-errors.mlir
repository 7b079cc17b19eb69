// RUN: mpc-opt %s --split-input-file --verify-diagnostics --mpc-inline-regions
// RUN: mpc-opt %s --split-input-file --verify-diagnostics --mpc-inline-custom

// expected-error @below {{expected an implementation that does not call itself, but 'a' does}}
func.func private @a(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @below {{called here}}
  %0 = graph.custom @b(%x) policy = "Deny" : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @b(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @below {{called here}}
  %0 = graph.custom @a(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
