// Casts that the model writes are where and what they were, whatever autocast
// and the simplification after it do: lossless pairs, lossy ones, before and
// after movements, and in regions.
// RUN: mpc-opt %s --mpc-inline-regions --mpc-autocast="precision=fp16 mode=cheapest" --canonicalize --cse --mpc-fold-casts=rounding=fused --cse | FileCheck %s
// RUN: mpc-opt %s --mpc-inline-regions --mpc-autocast="precision=fp16 mode=torch" --canonicalize --cse --mpc-fold-casts=rounding=fused --cse | FileCheck %s
// RUN: mpc-opt %s --mpc-inline-regions --mpc-autocast="precision=fp16 mode=whole" --canonicalize --cse --mpc-fold-casts=rounding=strict --cse | FileCheck %s
// CHECK: %[[A:.*]] = graph.cast %{{[a-z0-9]+}} : (tensor<4x8xf32>) -> tensor<4x8xf16>
// CHECK: %[[T:.*]] = graph.transpose %[[A]]
// CHECK: %[[B:.*]] = graph.cast %[[T]] : (tensor<8x4xf16>) -> tensor<8x4xf32>
// CHECK: %[[C:.*]] = graph.cast %[[B]] : (tensor<8x4xf32>) -> tensor<8x4xbf16>
// CHECK: %[[D:.*]] = graph.cast %[[C]] : (tensor<8x4xbf16>) -> tensor<8x4xf32>
// CHECK: graph.cast %{{[a-z0-9]+}} {graph.autocast_region = #graph.autocast_region<enabled = false>} : (tensor<8x4xf32>) -> tensor<8x4xf16>
// CHECK: graph.cast %{{[a-z0-9]+}} {graph.autocast_region = #graph.autocast_region<enabled = false>} : (tensor<8x4xf16>) -> tensor<8x4xf32>
func.func @model(%x: tensor<4x8xf32> {graph.input = "x"}) -> (tensor<4x4xf32> {graph.output = "y"}, tensor<8x4xf32> {graph.output = "z"}) {
  %0 = graph.cast %x : (tensor<4x8xf32>) -> tensor<4x8xf16>
  %1 = graph.transpose %0 permutation = [1, 0] : (tensor<4x8xf16>) -> tensor<8x4xf16>
  %2 = graph.cast %1 : (tensor<8x4xf16>) -> tensor<8x4xf32>
  %3 = graph.cast %2 : (tensor<8x4xf32>) -> tensor<8x4xbf16>
  %4 = graph.cast %3 : (tensor<8x4xbf16>) -> tensor<8x4xf32>
  %5 = graph.matmul %x, %4 : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %6 = graph.autocast_region <enabled = false> -> tensor<8x4xf32> {
    %7 = graph.exp %4 : tensor<8x4xf32>
    %8 = graph.cast %7 : (tensor<8x4xf32>) -> tensor<8x4xf16>
    %9 = graph.cast %8 : (tensor<8x4xf16>) -> tensor<8x4xf32>
    graph.yield %9 : tensor<8x4xf32>
  }
  return %5, %6 : tensor<4x4xf32>, tensor<8x4xf32>
}
