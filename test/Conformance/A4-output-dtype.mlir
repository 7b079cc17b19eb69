// A4: the ops whose dtype becomes f32 keep their f16 operand and give f32.
// RUN: mpc-opt %s --mpc-autocast="mode=torch precision=fp16" --mpc-verify-autocast -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: graph-eval %t.mlir --function=model --rounded --compare=%s --compare-function=by_hand --rtol=0 --atol=0
// CHECK-LABEL: func.func @model
// CHECK-NEXT: %[[X:.*]] = graph.cast
// CHECK-NEXT: graph.softmax %[[X]] dim = 1 dtype = f32 : (tensor<8x8xf16>) -> tensor<8x8xf32>
// CHECK-NEXT: graph.log_softmax %[[X]] dim = 1 dtype = f32 : (tensor<8x8xf16>) -> tensor<8x8xf32>
// CHECK-NEXT: graph.sum %[[X]] dims = [1] dtype = f32 : (tensor<8x8xf16>) -> tensor<8xf32>
// CHECK-LABEL: func.func @by_hand
func.func @model(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>) {
  %h = graph.cast %x : (tensor<8x8xf32>) -> tensor<8x8xf16>
  %0 = graph.softmax %h dim = 1 : (tensor<8x8xf16>) -> tensor<8x8xf16>
  %1 = graph.log_softmax %h dim = 1 : (tensor<8x8xf16>) -> tensor<8x8xf16>
  %2 = graph.sum %h dims = [1] : (tensor<8x8xf16>) -> tensor<8xf16>
  %w0 = graph.cast %0 : (tensor<8x8xf16>) -> tensor<8x8xf32>
  %w1 = graph.cast %1 : (tensor<8x8xf16>) -> tensor<8x8xf32>
  %w2 = graph.cast %2 : (tensor<8xf16>) -> tensor<8xf32>
  return %w0, %w1, %w2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>
}
func.func @by_hand(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>) {
  %h = graph.cast %x : (tensor<8x8xf32>) -> tensor<8x8xf16>
  %f = graph.cast %h : (tensor<8x8xf16>) -> tensor<8x8xf32>
  %0 = graph.softmax %f dim = 1 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.log_softmax %f dim = 1 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = graph.sum %f dims = [1] : (tensor<8x8xf32>) -> tensor<8xf32>
  return %0, %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>
}
