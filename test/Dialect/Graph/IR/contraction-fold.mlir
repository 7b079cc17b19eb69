// RUN: mpc-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @transposed
// CHECK-SAME: (%[[A:.*]]: tensor<8x4xf32>, %[[B:.*]]: tensor<16x8xf32>)
// CHECK-NEXT: %[[C:.*]] = graph.matmul %[[A]], %[[B]] transpose_lhs transpose_rhs : (tensor<8x4xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
// CHECK-NEXT: return %[[C]]
func.func @transposed(%a: tensor<8x4xf32>, %b: tensor<16x8xf32>) -> tensor<4x16xf32> {
  %0 = graph.transpose %a permutation = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %1 = graph.transpose %b permutation = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
  %2 = graph.matmul %0, %1 : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  return %2 : tensor<4x16xf32>
}

// Two transposes meet: the flag goes off again.
// CHECK-LABEL: @flag_off
// CHECK-SAME: (%[[A:.*]]: tensor<2x4x8xf32>, %[[B:.*]]: tensor<8x16xf32>)
// CHECK-NEXT: graph.matmul %[[A]], %[[B]] : (tensor<2x4x8xf32>, tensor<8x16xf32>)
func.func @flag_off(%a: tensor<2x4x8xf32>, %b: tensor<8x16xf32>) -> tensor<2x4x16xf32> {
  %0 = graph.transpose %a permutation = [0, 2, 1] : (tensor<2x4x8xf32>) -> tensor<2x8x4xf32>
  %1 = graph.matmul %0, %b transpose_lhs : (tensor<2x8x4xf32>, tensor<8x16xf32>) -> tensor<2x4x16xf32>
  return %1 : tensor<2x4x16xf32>
}

// A transpose of batch dims stays.
// CHECK-LABEL: @batch
// CHECK: graph.transpose
func.func @batch(%a: tensor<4x2x8xf32>, %b: tensor<8x16xf32>) -> tensor<2x4x16xf32> {
  %0 = graph.transpose %a permutation = [1, 0, 2] : (tensor<4x2x8xf32>) -> tensor<2x4x8xf32>
  %1 = graph.matmul %0, %b : (tensor<2x4x8xf32>, tensor<8x16xf32>) -> tensor<2x4x16xf32>
  return %1 : tensor<2x4x16xf32>
}

// A bias of zeros is none, of either sign; another one stays.
// CHECK-LABEL: @zero_bias
// CHECK-NEXT: %[[C:.*]] = graph.constant dense<{{\[}}0.000000e+00, 1.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: graph.matmul %arg0, %arg1 : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
// CHECK-NEXT: graph.matmul %arg0, %arg1 dtype = bf16 : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xbf16>
// CHECK-NEXT: graph.matmul %arg0, %arg1 bias %[[C]] : (tensor<4x8xf32>, tensor<8x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
// CHECK-NEXT: graph.convolution %arg2, %arg3 same : (tensor<2x3x5xf32>, tensor<2x3x3xf32>) -> tensor<2x2x5xf32>
// CHECK-NEXT: graph.transposed_convolution %arg2, %arg4 : (tensor<2x3x5xf32>, tensor<3x2x3xf32>) -> tensor<2x2x7xf32>
func.func @zero_bias(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %x: tensor<2x3x5xf32>, %w: tensor<2x3x3xf32>, %v: tensor<3x2x3xf32>)
    -> (tensor<4x2xf32>, tensor<4x2xbf16>, tensor<4x2xf32>, tensor<2x2x5xf32>, tensor<2x2x7xf32>) {
  %zero = graph.constant dense<0.0> : tensor<2xf32>
  %minus = graph.constant dense<-0.0> : tensor<2xbf16>
  %one = graph.constant dense<[0.0, 1.0]> : tensor<2xf32>
  %0 = graph.matmul %a, %b bias %zero : (tensor<4x8xf32>, tensor<8x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  %1 = graph.matmul %a, %b bias %minus dtype = bf16 : (tensor<4x8xf32>, tensor<8x2xf32>, tensor<2xbf16>) -> tensor<4x2xbf16>
  %2 = graph.matmul %a, %b bias %one : (tensor<4x8xf32>, tensor<8x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  %3 = graph.convolution %x, %w bias %zero same : (tensor<2x3x5xf32>, tensor<2x3x3xf32>, tensor<2xf32>) -> tensor<2x2x5xf32>
  %4 = graph.transposed_convolution %x, %v bias %zero : (tensor<2x3x5xf32>, tensor<3x2x3xf32>, tensor<2xf32>) -> tensor<2x2x7xf32>
  return %0, %1, %2, %3, %4 : tensor<4x2xf32>, tensor<4x2xbf16>, tensor<4x2xf32>, tensor<2x2x5xf32>, tensor<2x2x7xf32>
}

// The flags change, and the bias goes along.
// CHECK-LABEL: @transposed_beside_bias
// CHECK-NEXT: graph.matmul %arg0, %arg1 bias %arg2 transpose_rhs : (tensor<4x8xf32>, tensor<16x8xf32>, tensor<16xf32>)
func.func @transposed_beside_bias(%a: tensor<4x8xf32>, %b: tensor<16x8xf32>, %c: tensor<16xf32>) -> tensor<4x16xf32> {
  %0 = graph.transpose %b permutation = [1, 0] : (tensor<16x8xf32>) -> tensor<8x16xf32>
  %1 = graph.matmul %a, %0 bias %c : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  return %1 : tensor<4x16xf32>
}
