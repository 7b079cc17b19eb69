// Structure of the gradients of family Reduction: sums and means repeat the
// cotangent and keep nothing, a maximum finds its elements again.
// RUN: mpc-opt %s --mpc-differentiate | FileCheck %s

// CHECK-LABEL: func.func @sum_step(
// CHECK: %[[DY:.*]] = graph.constant {graph.seed}
// CHECK-NEXT: %[[ROW:.*]] = graph.reshape %[[DY]] : (tensor<f32>) -> tensor<1x1xf32>
// CHECK-NEXT: %[[DX:.*]] = graph.broadcast %[[ROW]] : (tensor<1x1xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: return %{{.*}}, %[[DX]]
func.func @sum(%x: tensor<2x3xf32> {graph.parameter = "x"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.sum %x dims = [0, 1] : (tensor<2x3xf32>) -> tensor<f32>
  return %y : tensor<f32>
}

// A sum into f32 gives the gradient back in the type of its operand.
// CHECK-LABEL: func.func @sum_into_f32_step(
// CHECK: graph.broadcast %{{.*}} : (tensor<1xf32>) -> tensor<3xf32>
// CHECK-NEXT: graph.cast %{{.*}} because "gradient of graph.sum in the type of its operand" : (tensor<3xf32>) -> tensor<3xf16>
func.func @sum_into_f32(%x: tensor<3xf16> {graph.parameter = "x"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.sum %x dims = [0] dtype = f32 : (tensor<3xf16>) -> tensor<f32>
  return %y : tensor<f32>
}

// Divided by the number of elements before it is repeated.
// CHECK-LABEL: func.func @mean_step(
// CHECK: graph.constant dense<2.500000e-01> : tensor<f32>
// CHECK-NEXT: graph.mul %{{.*}} : (tensor<1xf32>, tensor<f32>) -> tensor<1xf32>
// CHECK-NEXT: graph.broadcast
func.func @mean(%x: tensor<4xf32> {graph.parameter = "x"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.mean %x dims = [0] : (tensor<4xf32>) -> tensor<f32>
  return %y : tensor<f32>
}

// Ties share; they are counted in f32 because f16 ends at 65504. If none is equal
// to the maximum, it is NaN, and so is 0 times the quotient.
// CHECK-LABEL: func.func @max_step(
// CHECK-SAME: %[[X:.*]]: tensor<100000xf16>
// CHECK: %[[IS_MOST:.*]] = graph.compare <eq> %[[X]],
// CHECK: %[[ONES:.*]] = graph.cast %[[IS_MOST]] {{.*}} -> tensor<100000xf32>
// CHECK: %[[COUNT:.*]] = graph.sum %[[ONES]] dims = [0] keep : (tensor<100000xf32>) -> tensor<1xf32>
// CHECK: %[[SHARE:.*]] = graph.div %{{.*}}, %[[COUNT]]
// CHECK: graph.mul %[[ONES]], %[[SHARE]]
func.func @max(%x: tensor<100000xf16> {graph.parameter = "x"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.max %x dims = [0] : (tensor<100000xf16>) -> tensor<f16>
  %loss = graph.cast %y : (tensor<f16>) -> tensor<f32>
  return %loss : tensor<f32>
}

// To the element whose index was taken; the indices are kept, not the input.
// CHECK-LABEL: func.func @max_with_index_step(
// CHECK: %[[I:.*]] = graph.iota
// CHECK: %{{.*}}, %[[AT:.*]] = graph.max_with_index
// CHECK: %[[TAKEN:.*]] = graph.reshape %[[AT]] : (tensor<2xi32>) -> tensor<2x1xi32>
// CHECK: %[[IS:.*]] = graph.compare <eq> %[[I]], %[[TAKEN]]
// CHECK: graph.select %[[IS]], %{{.*}}, %{{.*}} : (tensor<2x3xi1>, tensor<2x1xf32>, tensor<f32>) -> tensor<2x3xf32>
func.func @max_with_index(%x: tensor<2x3xf32> {graph.parameter = "x"}) -> (tensor<f32> {graph.loss}) {
  %i = graph.iota dim = 1 : tensor<2x3xi32>
  %y, %at = graph.max_with_index %x, %i dims = [1] : (tensor<2x3xf32>, tensor<2x3xi32>) -> (tensor<2xf32>, tensor<2xi32>)
  %loss = graph.sum %y dims = [0] : (tensor<2xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
