// B7, TensorFlow's PreserveIdentityAfterVariable, in its nearest form: a
// parameter is a pure value here, so that a clear op on it may be narrow (there
// reading a reference variable keeps it f32), and the parameter itself stays
// f32. Five casts there; here the clear op takes the cast of the parameter.
// RUN: mpc-opt %s --mpc-autocast="mode=tf precision=fp16" --mpc-verify-autocast | FileCheck %s
// CHECK: %[[W:[a-z0-9]+]]: tensor<32x32xf32> {graph.parameter = "w"}
// CHECK: graph.cast %[[W]] because "clear: reshape runs in f16"
// CHECK-COUNT-4: because
// CHECK-NOT: because
func.func @model(%x: tensor<32x32xf32> {graph.input = "x"}, %w: tensor<32x32xf32> {graph.parameter = "w"},
                 %y: tensor<32x32xf32> {graph.input = "y"}) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
  %clr1 = graph.reshape %w : (tensor<32x32xf32>) -> tensor<32x32xf32>
  %allow1 = graph.matmul %x, %clr1 : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %clr2 = graph.reshape %y : (tensor<32x32xf32>) -> tensor<32x32xf32>
  %allow2 = graph.matmul %x, %clr2 : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %fetch1 = graph.reshape %allow1 : (tensor<32x32xf32>) -> tensor<32x32xf32>
  %fetch2 = graph.reshape %allow2 : (tensor<32x32xf32>) -> tensor<32x32xf32>
  return %fetch1, %fetch2 : tensor<32x32xf32>, tensor<32x32xf32>
}
