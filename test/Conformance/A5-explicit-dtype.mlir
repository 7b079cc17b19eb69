// A5: a dtype that the model writes wins.
// RUN: mpc-opt %s --mpc-autocast="mode=torch precision=fp16" --mpc-verify-autocast | FileCheck %s
// CHECK: %[[H:.*]] = graph.cast
// CHECK-NEXT: graph.softmax %[[H]] dim = 1 dtype = f16 : (tensor<8x8xf16>) -> tensor<8x8xf16>
// CHECK-NEXT: return
func.func @model(%x: tensor<8x8xf32> {graph.input = "x"}) -> tensor<8x8xf16> {
  %h = graph.cast %x : (tensor<8x8xf32>) -> tensor<8x8xf16>
  %0 = graph.softmax %h dim = 1 dtype = f16 : (tensor<8x8xf16>) -> tensor<8x8xf16>
  return %0 : tensor<8x8xf16>
}
