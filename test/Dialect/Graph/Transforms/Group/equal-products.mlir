// RUN: mpc-opt %s --mpc-decompose --cse --mpc-group | FileCheck %s
// One product with two biases is computed once: they are added behind it.

// CHECK-LABEL: @two_biases
// CHECK-COUNT-1: graph.matmul
// CHECK-NOT: graph.matmul
// CHECK: graph.group <row>
// CHECK: graph.add %[[PRODUCT:.*]], %{{.*}} : (tensor<32x128xf32>, tensor<128xf32>)
// CHECK: graph.add %[[PRODUCT]], %{{.*}} : (tensor<32x128xf32>, tensor<128xf32>)
func.func @two_biases(%x: tensor<32x64xf32>, %w: tensor<64x128xf32>, %a: tensor<128xf32>, %b: tensor<128xf32>) -> (tensor<32x128xf32>, tensor<32x128xf32>) {
  %0 = graph.matmul %x, %w bias %a : (tensor<32x64xf32>, tensor<64x128xf32>, tensor<128xf32>) -> tensor<32x128xf32>
  %1 = graph.matmul %x, %w bias %b : (tensor<32x64xf32>, tensor<64x128xf32>, tensor<128xf32>) -> tensor<32x128xf32>
  return %0, %1 : tensor<32x128xf32>, tensor<32x128xf32>
}
