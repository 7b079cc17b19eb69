// A20: calls with a dtype of their own are not touched, nor are casts that the
// model writes. (Values are never changed in place, so PyTorch's in-place and
// out= variants have no counterpart.)
// RUN: mpc-opt %s --mpc-autocast="mode=torch precision=fp16" --mpc-verify-autocast | FileCheck %s
// CHECK: %[[M:.*]] = graph.matmul {{.*}} -> tensor<8x8xf16>
// CHECK-NEXT: graph.sum %[[M]] dims = [0] dtype = f16 : (tensor<8x8xf16>) -> tensor<8xf16>
// CHECK-NEXT: graph.log_softmax %[[M]] dim = 1 dtype = f16 : (tensor<8x8xf16>) -> tensor<8x8xf16>
// CHECK-NEXT: %[[C:.*]] = graph.cast %[[M]] : (tensor<8x8xf16>) -> tensor<8x8xbf16>
// CHECK-NEXT: graph.cast %[[C]] : (tensor<8x8xbf16>) -> tensor<8x8xf32>
// CHECK-NEXT: return
func.func @model(%x: tensor<8x8xf32> {graph.input = "x"}) -> (tensor<8xf16>, tensor<8x8xf16>, tensor<8x8xf32>) {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.sum %0 dims = [0] dtype = f16 : (tensor<8x8xf32>) -> tensor<8xf16>
  %2 = graph.log_softmax %0 dim = 1 dtype = f16 : (tensor<8x8xf32>) -> tensor<8x8xf16>
  %3 = graph.cast %0 : (tensor<8x8xf32>) -> tensor<8x8xbf16>
  %4 = graph.cast %3 : (tensor<8x8xbf16>) -> tensor<8x8xf32>
  return %1, %2, %4 : tensor<8xf16>, tensor<8x8xf16>, tensor<8x8xf32>
}
