// RUN: mpc-opt %s --canonicalize | FileCheck %s
// No op has a side effect: what nobody uses goes, whatever the family.

// CHECK-LABEL: @dead
// CHECK-NEXT: return
func.func @dead(%x: tensor<4x4xf32>, %l: tensor<4xi32>, %s: tensor<f32>, %t: tensor<i32>) {
  %c = graph.constant dense<1.0> : tensor<4x4xf32>
  %i = graph.iota dim = 0 : tensor<4xi32>
  %0 = graph.matmul %x, %c : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = graph.softmax %0 dim = 1 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = graph.cross_entropy %1, %l : (tensor<4x4xf32>, tensor<4xi32>) -> tensor<f32>
  %3 = graph.sum %0 dims = [0] : (tensor<4x4xf32>) -> tensor<4xf32>
  %4 = graph.reshape %0 : (tensor<4x4xf32>) -> tensor<16xf32>
  %5:2 = graph.unscale %s, %x : (tensor<f32>, tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<i1>)
  %6:3 = graph.scaler_update %s, %t, %5#1 growth = 2.0 backoff = 0.5 interval = 2000 : (tensor<f32>, tensor<i32>, tensor<i1>) -> (tensor<f32>, tensor<i32>, tensor<i1>)
  %7 = graph.all_reduce <sum> %x group = "data" bucket = 0 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %8 = graph.sgd %x, %7 lr %s : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  %9 = graph.group <move> %x : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>):
    graph.yield %a : tensor<4x4xf32>
  }
  return
}
