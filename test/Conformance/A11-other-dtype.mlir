// A11: a bf16 region in an fp16 one: bf16 in it, fp16 after it, each from the
// value as it comes.
// RUN: mpc-opt %s --mpc-inline-regions --mpc-autocast="mode=torch precision=fp16" --mpc-verify-autocast | FileCheck %s
// RUN: mpc-opt %s --mpc-inline-regions --mpc-autocast="mode=cheapest precision=fp16" --mpc-verify-autocast | FileCheck %s
// CHECK: %[[A:.*]] = graph.matmul {{.*}} -> tensor<8x8xf16>
// CHECK: graph.cast %[[A]] because "{{.*}}: matmul runs in bf16{{.*}}" : (tensor<8x8xf16>) -> tensor<8x8xbf16>
// CHECK: %[[B:.*]] = graph.matmul {{.*}} -> tensor<8x8xbf16>
// CHECK: graph.cast %[[B]] because "{{.*}}: matmul runs in f16" : (tensor<8x8xbf16>) -> tensor<8x8xf16>
// CHECK: graph.matmul {{.*}} -> tensor<8x8xf16>
func.func @model(%x: tensor<8x8xf32> {graph.input = "x"}) -> tensor<8x8xf32> {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.autocast_region <dtype = bf16> -> tensor<8x8xf32> {
    %2 = graph.matmul %0, %0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    graph.yield %2 : tensor<8x8xf32>
  }
  %3 = graph.matmul %1, %1 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}
