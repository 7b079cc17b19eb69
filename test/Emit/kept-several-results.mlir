// RUN: foreign-opt %s --mpc-group --mpc-emit-kernels | FileCheck %s
// An op of two results reads its operands again for the one that is not kept,
// so these are widened once, too.

// CHECK-LABEL: func.func @one_kept_0(
// CHECK-COUNT-3: memref.alloca() {{.*}} : memref<256xf32>
// CHECK-NOT: memref.alloca
// CHECK-COUNT-8: vector.load {{.*}} vector<16xbf16>
// CHECK-NOT: vector.load {{.*}} vector<16xbf16>
// CHECK: return
func.func @one_kept(%x: tensor<64x256xbf16>, %y: tensor<64x256xbf16>) -> (tensor<64x256xbf16>, tensor<64x256xbf16>) {
  %s, %d = example.sum_difference %x, %y : (tensor<64x256xbf16>, tensor<64x256xbf16>) -> (tensor<64x256xbf16>, tensor<64x256xbf16>)
  %0 = graph.sum %s dims = [1] keep : (tensor<64x256xbf16>) -> tensor<64x1xbf16>
  %1 = graph.mul %s, %0 : (tensor<64x256xbf16>, tensor<64x1xbf16>) -> tensor<64x256xbf16>
  %2 = graph.mul %d, %0 : (tensor<64x256xbf16>, tensor<64x1xbf16>) -> tensor<64x256xbf16>
  return %1, %2 : tensor<64x256xbf16>, tensor<64x256xbf16>
}

// Both are kept, and nothing reads the operands again.
// CHECK-LABEL: func.func @both_kept_0(
// CHECK-COUNT-2: memref.alloca() {{.*}} : memref<256xf32>
// CHECK-NOT: memref.alloca
// CHECK: return
func.func @both_kept(%x: tensor<64x256xbf16>, %y: tensor<64x256xbf16>) -> (tensor<64x256xbf16>, tensor<64x256xbf16>) {
  %s, %d = example.sum_difference %x, %y : (tensor<64x256xbf16>, tensor<64x256xbf16>) -> (tensor<64x256xbf16>, tensor<64x256xbf16>)
  %0 = graph.sum %s dims = [1] keep : (tensor<64x256xbf16>) -> tensor<64x1xbf16>
  %1 = graph.sum %d dims = [1] keep : (tensor<64x256xbf16>) -> tensor<64x1xbf16>
  %2 = graph.mul %s, %1 : (tensor<64x256xbf16>, tensor<64x1xbf16>) -> tensor<64x256xbf16>
  %3 = graph.mul %d, %0 : (tensor<64x256xbf16>, tensor<64x1xbf16>) -> tensor<64x256xbf16>
  return %2, %3 : tensor<64x256xbf16>, tensor<64x256xbf16>
}
