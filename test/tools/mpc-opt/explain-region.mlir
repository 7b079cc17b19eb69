// A value in a region: it goes on in what the region becomes.
// RUN: mpc-opt %s --explain=%inside --compile-to=autocast | FileCheck %s --check-prefix=REGION
// REGION: %inside = graph.matmul in @region
// REGION-NEXT: given @region: tensor<8x8xf32>
// REGION: by mpc-autocast: off, f32, off: matmul runs as written (region 'inner')
// RUN: mpc-opt %s --explain=%outside --compile-to=autocast | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: %outside = graph.autocast_region in @region
// OUTSIDE: by mpc-inline-regions: an equal value takes its place in @region
// OUTSIDE: by mpc-autocast: off, f32, off: matmul runs as written (region 'inner')
func.func @region(%x: tensor<8x8xf32> {graph.input = "x"}) -> (tensor<8x8xf32> {graph.output = "y"}) attributes {graph.training = #graph.training<precision = "fp16">} {
  %outside = graph.autocast_region <name = "inner", enabled = false> -> tensor<8x8xf32> {
    %inside = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    graph.yield %inside : tensor<8x8xf32>
  }
  %o = graph.matmul %outside, %outside : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %o : tensor<8x8xf32>
}
