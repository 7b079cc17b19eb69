// Zeros of a large table go past the caches, in whole vectors; what is added to
// them, and a table that a cache holds, do not.
// RUN: mpc-opt %s --mpc-group --mpc-emit-kernels --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @large_0(
// CHECK: vector.store %{{.*}} {alignment = 64 : i64, nontemporal = true} : memref<38597376xf32>, vector<16xf32>
// CHECK: vector.load
// CHECK-NOT: nontemporal
// CHECK: return
func.func @large(%x: tensor<64x768xf32>, %i: tensor<64xi32>) -> tensor<50257x768xf32> {
  %0 = graph.segment_sum %x, %i dim = 0 size = 50257 : (tensor<64x768xf32>, tensor<64xi32>) -> tensor<50257x768xf32>
  return %0 : tensor<50257x768xf32>
}

// CHECK-LABEL: func.func @small_0(
// CHECK-NOT: nontemporal
// CHECK: return
func.func @small(%x: tensor<64x128xf32>, %i: tensor<64xi32>) -> tensor<65x128xf32> {
  %0 = graph.segment_sum %x, %i dim = 0 size = 65 : (tensor<64x128xf32>, tensor<64xi32>) -> tensor<65x128xf32>
  return %0 : tensor<65x128xf32>
}

// CHECK-LABEL: func.func @ragged_0(
// CHECK-NOT: nontemporal
// CHECK: return
func.func @ragged(%x: tensor<64x1001xf32>, %i: tensor<64xi32>) -> tensor<50257x1001xf32> {
  %0 = graph.segment_sum %x, %i dim = 0 size = 50257 : (tensor<64x1001xf32>, tensor<64xi32>) -> tensor<50257x1001xf32>
  return %0 : tensor<50257x1001xf32>
}
