// A10: a region that is off in one that is on. A product of f32 stays f32; a
// product of the outer region's f16 with an f32 weight is an error in PyTorch,
// and promoted to f32 here.
// RUN: mpc-opt %s --mpc-inline-regions --mpc-autocast="mode=torch precision=fp16" --mpc-verify-autocast | FileCheck %s --check-prefixes=CHECK,TORCH
// RUN: mpc-opt %s --mpc-inline-regions --mpc-autocast="mode=cheapest precision=fp16" --mpc-verify-autocast | FileCheck %s --check-prefixes=CHECK,CHEAP
// CHECK: %[[OUTER:.*]] = graph.matmul {{.*}} -> tensor<8x8xf16>
// CHEAP: %[[WIDE:.*]] = graph.cast %[[OUTER]] because "off: matmul runs as written (region 'inner')" : (tensor<8x8xf16>) -> tensor<8x8xf32>
// CHECK: graph.matmul %[[X:.*]], %[[X]] {graph.autocast_region = #graph.autocast_region<name = "inner", enabled = false>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
// TORCH: %[[WIDE:.*]] = graph.cast %[[OUTER]] because "off: matmul runs in f32 (region 'inner')" : (tensor<8x8xf16>) -> tensor<8x8xf32>
// CHECK: graph.matmul %[[WIDE]], %{{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK: graph.matmul {{.*}} : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
func.func @model(%x: tensor<8x8xf32> {graph.input = "x"}, %w: tensor<8x8xf32> {graph.parameter = "w"})
    -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = graph.matmul %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1:2 = graph.autocast_region <name = "inner", enabled = false> -> tensor<8x8xf32>, tensor<8x8xf32> {
    %2 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %3 = graph.matmul %0, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    graph.yield %2, %3 : tensor<8x8xf32>, tensor<8x8xf32>
  }
  %4 = graph.matmul %1#1, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1#0, %1#1, %4 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
