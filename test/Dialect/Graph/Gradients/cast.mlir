// Structure of the gradients of family Cast.
// RUN: mpc-opt %s --mpc-differentiate | FileCheck %s

// A cast goes back for the same reason; the user's own has none and so none is
// given, which keeps it from being removed. Casts to integers end gradients.
// CHECK-LABEL: func.func @cast_step(
// CHECK: graph.constant {graph.seed}
// CHECK-NEXT: graph.cast %{{.*}} because "allowed in 16 bits" : (tensor<f32>) -> tensor<bf16>
// CHECK-NEXT: graph.cast %{{.*}} : (tensor<bf16>) -> tensor<f32>
// CHECK-NEXT: return
func.func @cast(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}, tensor<i32> {graph.output = "floor"}) {
  %0 = graph.cast %w : (tensor<f32>) -> tensor<bf16>
  %1 = graph.cast %0 because "allowed in 16 bits" : (tensor<bf16>) -> tensor<f32>
  %2 = graph.cast %w : (tensor<f32>) -> tensor<i32>
  return %1, %2 : tensor<f32>, tensor<i32>
}
