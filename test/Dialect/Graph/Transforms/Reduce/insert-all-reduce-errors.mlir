// RUN: mpc-opt %s --mpc-insert-all-reduce --verify-diagnostics
// RUN: not mpc-opt %s --mpc-insert-all-reduce="reduce=max" 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: not mpc-opt %s --mpc-insert-all-reduce="bucket-bytes=0" 2>&1 | FileCheck %s --check-prefix=BYTES
// KIND: error: expected average, sum or none for option 'reduce', but got 'max'
// BYTES: error: expected bucket-bytes from 1 to 4398046511104, but got 0
func.func @twice(%x: tensor<2xf32> {graph.input = "x"}) -> (tensor<2xf32> {graph.gradient = "a"}) attributes {graph.entry = "step"} {
  // expected-error @+1 {{expected gradients that are not reduced yet, but got an all-reduce}}
  %r = graph.all_reduce #graph.reduce_kind<average> %x group = "data" bucket = 0 : (tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
