// RUN: mpc-opt %s --mpc-fold-casts=rounding=sloppy --verify-diagnostics
// expected-error @below {{expected rounding to be fused or strict, but got 'sloppy'}}
func.func @model(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
