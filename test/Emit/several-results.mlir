// RUN: mpc-opt %s --mpc-group --mpc-emit-kernels | FileCheck %s
// Ops with several results, whose body builds all of them at once.

// Two products in each of ten rounds, for all four words together.
// CHECK-LABEL: func.func @at_once_0(
// CHECK-COUNT-20: arith.mului_extended
// CHECK-NOT: arith.mului_extended
// CHECK: return
func.func @at_once(%c: tensor<16xi32>, %k: tensor<i32>) -> (tensor<16xi32>, tensor<16xi32>, tensor<16xi32>, tensor<16xi32>) {
  %w:4 = graph.philox %c, %c, %c, %c key %k, %k : (tensor<16xi32>, tensor<16xi32>, tensor<16xi32>, tensor<16xi32>, tensor<i32>, tensor<i32>) -> (tensor<16xi32>, tensor<16xi32>, tensor<16xi32>, tensor<16xi32>)
  return %w#0, %w#1, %w#2, %w#3 : tensor<16xi32>, tensor<16xi32>, tensor<16xi32>, tensor<16xi32>
}

// What two sweeps of a row read is kept between them, each result of its own.
// CHECK-LABEL: func.func @kept_0(
// CHECK: %[[FIRST:.*]] = memref.alloca() {{.*}} : memref<16xi32>
// CHECK: %[[SECOND:.*]] = memref.alloca() {{.*}} : memref<16xi32>
// CHECK: arith.mului_extended
// CHECK-DAG: vector.store %{{.*}}, %[[FIRST]]
// CHECK-DAG: vector.store %{{.*}}, %[[SECOND]]
// CHECK-NOT: arith.mului_extended
// CHECK-DAG: vector.load %[[FIRST]]
// CHECK-DAG: vector.load %[[SECOND]]
// CHECK: return
func.func @kept(%c: tensor<8x16xi32>, %k: tensor<i32>) -> tensor<8x16xi32> {
  %w:4 = graph.philox %c, %c, %c, %c key %k, %k : (tensor<8x16xi32>, tensor<8x16xi32>, tensor<8x16xi32>, tensor<8x16xi32>, tensor<i32>, tensor<i32>) -> (tensor<8x16xi32>, tensor<8x16xi32>, tensor<8x16xi32>, tensor<8x16xi32>)
  %0 = graph.add %w#1, %w#2 : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
  %1 = graph.sum %0 dims = [1] keep : (tensor<8x16xi32>) -> tensor<8x1xi32>
  %2 = graph.sub %w#1, %w#2 : (tensor<8x16xi32>, tensor<8x16xi32>) -> tensor<8x16xi32>
  %3 = graph.mul %2, %1 : (tensor<8x16xi32>, tensor<8x1xi32>) -> tensor<8x16xi32>
  return %3 : tensor<8x16xi32>
}
