// RUN: mpc-opt %s --compile-to=group --inference | FileCheck %s
// RUN: mpc-opt %s --compile-to=exec --inference -o /dev/null

// Transposes between two library calls are in one of them: the first, which
// writes where its elements come to lie.
// CHECK: %[[A:.*]] = graph.group <library> %{{.*}} : (tensor<2x64x1x16xf32>) -> tensor<2x8x8x16xf32>
// CHECK: graph.scaled_dot_product_attention
// CHECK-COUNT-2: graph.transpose
// CHECK-NEXT: graph.yield
// CHECK: %[[V:.*]] = graph.reshape %[[A]]
// CHECK-NEXT: graph.group <library> %[[V]], %{{.*}} : (tensor<128x16xf32>, tensor<16x16xf32>)
// CHECK: graph.matmul
func.func @model(%q: tensor<2x64x1x16xf32> {graph.input = "q"},
                 %w: tensor<16x16xf32> {graph.init = #graph.normal<0.0, 0.1>, graph.parameter = "w"})
    -> (tensor<128x16xf32> {graph.output = "y"}) {
  %a, %l = graph.scaled_dot_product_attention %q, %q, %q : (tensor<2x64x1x16xf32>, tensor<2x64x1x16xf32>, tensor<2x64x1x16xf32>) -> (tensor<2x64x1x16xf32>, tensor<2x1x64xf32>)
  %r = graph.reshape %a : (tensor<2x64x1x16xf32>) -> tensor<2x64x16xf32>
  %t = graph.transpose %r permutation = [0, 2, 1] : (tensor<2x64x16xf32>) -> tensor<2x16x64xf32>
  %s = graph.reshape %t : (tensor<2x16x64xf32>) -> tensor<2x16x8x8xf32>
  %u = graph.transpose %s permutation = [0, 2, 3, 1] : (tensor<2x16x8x8xf32>) -> tensor<2x8x8x16xf32>
  %v = graph.reshape %u : (tensor<2x8x8x16xf32>) -> tensor<128x16xf32>
  %m = graph.matmul %v, %w transpose_rhs : (tensor<128x16xf32>, tensor<16x16xf32>) -> tensor<128x16xf32>
  return %m : tensor<128x16xf32>
}
