// Structure of the gradients of family Activation: which values a rule asks
// for. Values are checked by GradientsTest.
// RUN: mpc-opt %s --mpc-differentiate | FileCheck %s

// From the operand, with the sigmoid again.
// CHECK-LABEL: func.func @silu_step(
// CHECK-SAME: %[[X:.*]]: tensor<f32>
// CHECK: graph.silu %[[X]]
// CHECK: graph.sigmoid %[[X]]
func.func @silu(%x: tensor<f32> {graph.parameter = "x"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.silu %x : tensor<f32>
  return %y : tensor<f32>
}

// The slope stands in the gradient, and nothing of the result does.
// CHECK-LABEL: func.func @leaky_relu_step(
// CHECK-SAME: %[[X:.*]]: tensor<f32>
// CHECK: %[[Y:.*]] = graph.leaky_relu %[[X]] negative_slope = 2.500000e-01
// CHECK-DAG: %[[SLOPE:.*]] = graph.constant dense<2.500000e-01>
// CHECK: %[[BELOW:.*]] = graph.mul %{{.*}}, %[[SLOPE]]
// CHECK: %[[DX:.*]] = graph.select %{{.*}}, %{{.*}}, %[[BELOW]]
// CHECK: return %[[Y]], %[[DX]]
func.func @leaky_relu(%x: tensor<f32> {graph.parameter = "x"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.leaky_relu %x negative_slope = 0.25 : tensor<f32>
  return %y : tensor<f32>
}
