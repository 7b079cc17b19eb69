// A6: the promote list takes the widest of its operands. Of this dialect concat
// is on it, for CPUs.
// RUN: mpc-opt %s --mpc-autocast="mode=torch lists=cpu precision=fp16" --mpc-verify-autocast | FileCheck %s
// CHECK: %[[M:.*]] = graph.matmul {{.*}} -> tensor<8x8xf16>
// CHECK-NEXT: graph.concat %[[M]], %[[M]] dim = 0 : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<16x8xf16>
// CHECK-NEXT: %[[W:.*]] = graph.cast %[[M]] because "promote: concat runs in f32" : (tensor<8x8xf16>) -> tensor<8x8xf32>
// CHECK-NEXT: graph.concat %[[W]], %{{.*}} dim = 0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
// CHECK: graph.concat {{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<24x8xf32>
func.func @model(%x: tensor<8x8xf32> {graph.input = "x"})
    -> (tensor<16x8xf32>, tensor<16x8xf32>, tensor<24x8xf32>) {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.concat %0, %0 dim = 0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  %2 = graph.concat %0, %x dim = 0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  %3 = graph.concat %0, %x, %0 dim = 0 : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<24x8xf32>
  return %1, %2, %3 : tensor<16x8xf32>, tensor<16x8xf32>, tensor<24x8xf32>
}
