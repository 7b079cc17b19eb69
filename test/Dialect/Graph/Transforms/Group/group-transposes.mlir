// A transpose of a result, which nothing else reads, belongs to the call where its
// library writes the result so: weights' gradients, which come back from a layout
// of the library's own anyway.
// RUN: mpc-opt %s --mpc-group | FileCheck %s

// CHECK-LABEL: func.func @weight_gradient(
// CHECK: graph.group <library>
// CHECK: graph.convolution_weight_gradient
// CHECK-NEXT: %[[T:.*]] = graph.transpose
// CHECK-NEXT: graph.yield %[[T]]
// CHECK-NOT: graph.group
// CHECK: return
func.func @weight_gradient(%x: tensor<2x9x8x3xf32>, %dy: tensor<2x7x6x4xf32>) -> tensor<4x3x3x3xf32> {
  %0 = graph.convolution_weight_gradient %x, %dy kernel = [3, 3] channels_last : (tensor<2x9x8x3xf32>, tensor<2x7x6x4xf32>) -> tensor<4x3x3x3xf32>
  %1 = graph.transpose %0 permutation = [0, 3, 1, 2] : (tensor<4x3x3x3xf32>) -> tensor<4x3x3x3xf32>
  return %1 : tensor<4x3x3x3xf32>
}

// Tensors lie as the convolution says: for one in another order oneDNN has no
// kernel but the definition.
// CHECK-LABEL: func.func @input(
// CHECK: graph.transpose
// CHECK-NEXT: graph.yield
// CHECK: graph.group <library>
// CHECK-NEXT: ^bb0
// CHECK-NEXT: graph.convolution
func.func @input(%x: tensor<2x3x9x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<2x7x6x4xf32> {
  %0 = graph.transpose %x permutation = [0, 2, 3, 1] : (tensor<2x3x9x8xf32>) -> tensor<2x9x8x3xf32>
  %1 = graph.convolution %0, %w channels_last : (tensor<2x9x8x3xf32>, tensor<4x3x3x3xf32>) -> tensor<2x7x6x4xf32>
  return %1 : tensor<2x7x6x4xf32>
}

// The result of a convolution lies as the library has it.
// CHECK-LABEL: func.func @result(
// CHECK: graph.convolution
// CHECK-NEXT: graph.yield
// CHECK: graph.group
// CHECK: graph.transpose
func.func @result(%x: tensor<2x9x8x3xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<2x4x7x6xf32> {
  %0 = graph.convolution %x, %w channels_last : (tensor<2x9x8x3xf32>, tensor<4x3x3x3xf32>) -> tensor<2x7x6x4xf32>
  %1 = graph.transpose %0 permutation = [0, 3, 1, 2] : (tensor<2x7x6x4xf32>) -> tensor<2x4x7x6xf32>
  return %1 : tensor<2x4x7x6xf32>
}

// Somebody else reads it as it is.
// CHECK-LABEL: func.func @read_twice(
// CHECK: graph.convolution_weight_gradient
// CHECK-NEXT: graph.yield
// CHECK: graph.group
// CHECK: graph.transpose
func.func @read_twice(%x: tensor<2x9x8x3xf32>, %dy: tensor<2x7x6x4xf32>) -> (tensor<4x3x3x3xf32>, tensor<4x3x3x3xf32>) {
  %0 = graph.convolution_weight_gradient %x, %dy kernel = [3, 3] channels_last : (tensor<2x9x8x3xf32>, tensor<2x7x6x4xf32>) -> tensor<4x3x3x3xf32>
  %1 = graph.transpose %0 permutation = [0, 3, 1, 2] : (tensor<4x3x3x3xf32>) -> tensor<4x3x3x3xf32>
  return %0, %1 : tensor<4x3x3x3xf32>, tensor<4x3x3x3xf32>
}
