// Samples lie along dims of the indices, or of what they do not name.
// RUN: mpc-opt %s --mpc-set-batch="batch=6" --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @tokens(
// CHECK-SAME: tensor<6x8xi32> {graph.input = "t"}
// CHECK: graph.gather {{.*}} dim = 0 : (tensor<50x3xf32>, tensor<6x8xi32>) -> tensor<6x8x3xf32>
func.func @tokens(%t: tensor<4x8xi32> {graph.input = "t"},
                  %w: tensor<50x3xf32> {graph.parameter = "w", graph.init = #graph.zeros}) -> (tensor<4x8x3xf32> {graph.output = "y"}) {
  %y = graph.gather %w, %t dim = 0 : (tensor<50x3xf32>, tensor<4x8xi32>) -> tensor<4x8x3xf32>
  return %y : tensor<4x8x3xf32>
}

// -----

// Positions have no samples; the other operand has.
// CHECK-LABEL: func.func @columns(
// CHECK: graph.gather {{.*}} dim = 1 : (tensor<6x5xf32>, tensor<2xi32>) -> tensor<6x2xf32>
func.func @columns(%x: tensor<4x5xf32> {graph.input = "x"}) -> (tensor<4x2xf32> {graph.output = "y"}) {
  %i = graph.constant dense<[3, 1]> : tensor<2xi32>
  %y = graph.gather %x, %i dim = 1 : (tensor<4x5xf32>, tensor<2xi32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// -----

func.func @samples(%x: tensor<4x5xf32> {graph.input = "x"}) -> (tensor<2x5xf32> {graph.output = "y"}) {
  %i = graph.constant dense<[3, 1]> : tensor<2xi32>
  // expected-error@+1 {{expected to gather the same whatever the batch size is, but samples lie along dim 0, which the indices run along}}
  %y = graph.gather %x, %i dim = 0 : (tensor<4x5xf32>, tensor<2xi32>) -> tensor<2x5xf32>
  return %y : tensor<2x5xf32>
}
