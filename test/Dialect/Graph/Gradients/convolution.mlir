// Structure of the gradients of family Convolution: one op for each operand, with
// the windows of the forward and no other op.
// RUN: mpc-opt %s --mpc-differentiate | FileCheck %s

// CHECK-LABEL: func.func @convolution_step(
// CHECK-SAME: %[[X:.*]]: tensor<2x4x9x8xf32> {{.*}}, %[[W:.*]]: tensor<6x2x3x3xf32>
// CHECK: %[[DY:.*]] = graph.broadcast
// CHECK-NEXT: graph.transposed_convolution %[[DY]], %[[W]] sizes = [9, 8] strides = [2, 2] low = [1, 0] groups = 2 :
// CHECK-NEXT: graph.convolution_weight_gradient %[[X]], %[[DY]] kernel = [3, 3] strides = [2, 2] low = [1, 0] groups = 2 :
// CHECK-NEXT: return
func.func @convolution(%x: tensor<2x4x9x8xf32> {graph.parameter = "x"}, %w: tensor<6x2x3x3xf32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.convolution %x, %w strides = [2, 2] low = [1, 0] groups = 2 : (tensor<2x4x9x8xf32>, tensor<6x2x3x3xf32>) -> tensor<2x6x4x3xf32>
  %loss = graph.sum %y dims = [0, 1, 2, 3] : (tensor<2x6x4x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// What `same` chose is written out.
// CHECK-LABEL: func.func @same_step(
// CHECK: graph.convolution %{{.*}}, %{{.*}} same strides = [2, 2] channels_last :
// CHECK: graph.convolution_weight_gradient %{{.*}} kernel = [3, 2] strides = [2, 2] low = [1, 0] high = [1, 0] channels_last :
func.func @same(%x: tensor<2x9x8x4xf32> {graph.input = "x"}, %w: tensor<6x3x2x4xf32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.convolution %x, %w same strides = [2, 2] channels_last : (tensor<2x9x8x4xf32>, tensor<6x3x2x4xf32>) -> tensor<2x5x4x6xf32>
  %loss = graph.sum %y dims = [0, 1, 2, 3] : (tensor<2x5x4x6xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// CHECK-LABEL: func.func @transposed_step(
// CHECK-SAME: %[[X:.*]]: tensor<2x6x4xf32> {{.*}}, %[[W:.*]]: tensor<6x3x3xf32>
// CHECK: %[[DY:.*]] = graph.broadcast
// CHECK-NEXT: graph.convolution %[[DY]], %[[W]] strides = [2] :
// CHECK-NEXT: graph.convolution_weight_gradient %[[DY]], %[[X]] kernel = [3] strides = [2] :
func.func @transposed(%x: tensor<2x6x4xf32> {graph.parameter = "x"}, %w: tensor<6x3x3xf32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.transposed_convolution %x, %w strides = [2] : (tensor<2x6x4xf32>, tensor<6x3x3xf32>) -> tensor<2x3x9xf32>
  %loss = graph.sum %y dims = [0, 1, 2] : (tensor<2x3x9xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// A bias gets the sum of each channel.
// CHECK-LABEL: func.func @biases_step(
// CHECK: graph.sum %{{.*}} dims = [0, 1] : (tensor<2x7x3xf32>) -> tensor<3xf32>
// CHECK: graph.sum %{{.*}} dims = [0, 2] : (tensor<2x6x5xf32>) -> tensor<6xf32>
// CHECK-NEXT: graph.convolution_weight_gradient
// CHECK-NEXT: return
func.func @biases(%x: tensor<2x4x7xf32> {graph.input = "x"}, %w: tensor<6x4x3xf32> {graph.parameter = "w"}, %b: tensor<6xf32> {graph.parameter = "b"}, %v: tensor<6x3x3xf32> {graph.input = "v"}, %c: tensor<3xf32> {graph.parameter = "c"}) -> (tensor<f32> {graph.loss}) {
  %0 = graph.convolution %x, %w bias %b : (tensor<2x4x7xf32>, tensor<6x4x3xf32>, tensor<6xf32>) -> tensor<2x6x5xf32>
  %1 = graph.transpose %0 permutation = [0, 2, 1] : (tensor<2x6x5xf32>) -> tensor<2x5x6xf32>
  %2 = graph.transpose %v permutation = [0, 2, 1] : (tensor<6x3x3xf32>) -> tensor<6x3x3xf32>
  %3 = graph.transposed_convolution %1, %2 bias %c channels_last : (tensor<2x5x6xf32>, tensor<6x3x3xf32>, tensor<3xf32>) -> tensor<2x7x3xf32>
  %loss = graph.sum %3 dims = [0, 1, 2] : (tensor<2x7x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
