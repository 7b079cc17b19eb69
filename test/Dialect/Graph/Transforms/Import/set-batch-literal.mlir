// RUN: not mpc-opt %s --mpc-set-batch="batch=1000000000" 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: mpc-opt %s --mpc-set-batch="batch=3" | FileCheck %s --check-prefix=FITS
// Equal rows are written out again for each sample; beyond any file that is an
// error and not the end of the memory.
// CHECK: set-batch-literal.mlir:[[#@LINE+4]]:11: error: expected a literal of at most 16777216 elements, but it has more with a batch of 1000000000; write one row and repeat it with graph.broadcast
// FITS: graph.add {{.*}} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
func.func @rows(%x: tensor<2x2xf32> {graph.input = "x"}) -> (tensor<2x2xf32> {graph.output = "y"}) {
  %zero = graph.constant dense<0.0> : tensor<2x2xf32>
  %rows = graph.constant dense<[[1.0, 2.0], [1.0, 2.0]]> : tensor<2x2xf32>
  %0 = graph.add %x, %rows : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = graph.sub %0, %zero : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}
