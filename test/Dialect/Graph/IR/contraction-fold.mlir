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
