// RUN: mpc-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @nothing
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>)
// CHECK-NEXT: return %[[X]], %[[X]], %[[X]]
func.func @nothing(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = graph.sum %x dims = [] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = graph.mean %x dims = [] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = graph.max %x dims = [] keep : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// CHECK-LABEL: @singles
// CHECK-SAME: (%[[X:.*]]: tensor<1x8x1xf32>)
// CHECK-DAG: %[[DROP:.*]] = graph.reshape %[[X]] : (tensor<1x8x1xf32>) -> tensor<8xf32>
// CHECK-DAG: %[[ONE:.*]] = graph.reshape %[[X]] : (tensor<1x8x1xf32>) -> tensor<8x1xf32>
// CHECK: return %[[DROP]], %[[ONE]], %[[X]]
func.func @singles(%x: tensor<1x8x1xf32>) -> (tensor<8xf32>, tensor<8x1xf32>, tensor<1x8x1xf32>) {
  %0 = graph.sum %x dims = [0, 2] : (tensor<1x8x1xf32>) -> tensor<8xf32>
  %1 = graph.mean %x dims = [0] : (tensor<1x8x1xf32>) -> tensor<8x1xf32>
  %2 = graph.max %x dims = [0, 2] keep : (tensor<1x8x1xf32>) -> tensor<1x8x1xf32>
  return %0, %1, %2 : tensor<8xf32>, tensor<8x1xf32>, tensor<1x8x1xf32>
}

// Another element type, or a sum of sums, would round differently.
// CHECK-LABEL: @stay
// CHECK: graph.sum %{{.*}} dtype = f32
// CHECK: graph.sum
// CHECK: graph.sum
func.func @stay(%x: tensor<1x8xf16>, %y: tensor<4x8xf32>) -> (tensor<8xf32>, tensor<f32>) {
  %0 = graph.sum %x dims = [0] dtype = f32 : (tensor<1x8xf16>) -> tensor<8xf32>
  %1 = graph.sum %y dims = [0] : (tensor<4x8xf32>) -> tensor<8xf32>
  %2 = graph.sum %1 dims = [0] : (tensor<8xf32>) -> tensor<f32>
  return %0, %2 : tensor<8xf32>, tensor<f32>
}

// CHECK-LABEL: @max_of_splat
// CHECK: graph.constant dense<3.000000e+00> : tensor<4xf32>
func.func @max_of_splat() -> tensor<4xf32> {
  %c = graph.constant dense<3.0> : tensor<4x8xf32>
  %0 = graph.max %c dims = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @index_of_nothing
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<4xi32>)
// CHECK-NEXT: return %[[X]], %[[I]]
func.func @index_of_nothing(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %y, %at = graph.max_with_index %x, %i dims = [] : (tensor<4xf32>, tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>)
  return %y, %at : tensor<4xf32>, tensor<4xi32>
}

// CHECK-LABEL: @index_of_singles
// CHECK-SAME: (%[[X:.*]]: tensor<4x1xf32>, %[[I:.*]]: tensor<4x1xi32>)
// CHECK-DAG: %[[Y:.*]] = graph.reshape %[[X]] : (tensor<4x1xf32>) -> tensor<4xf32>
// CHECK-DAG: %[[AT:.*]] = graph.reshape %[[I]] : (tensor<4x1xi32>) -> tensor<4xi32>
// CHECK: return %[[Y]], %[[AT]]
func.func @index_of_singles(%x: tensor<4x1xf32>, %i: tensor<4x1xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %y, %at = graph.min_with_index %x, %i dims = [1] : (tensor<4x1xf32>, tensor<4x1xi32>) -> (tensor<4xf32>, tensor<4xi32>)
  return %y, %at : tensor<4xf32>, tensor<4xi32>
}

// CHECK-LABEL: @index_stays
// CHECK: graph.max_with_index
func.func @index_stays(%x: tensor<4x2xf32>, %i: tensor<4x2xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %y, %at = graph.max_with_index %x, %i dims = [1] : (tensor<4x2xf32>, tensor<4x2xi32>) -> (tensor<4xf32>, tensor<4xi32>)
  return %y, %at : tensor<4xf32>, tensor<4xi32>
}

// CHECK-LABEL: @products
// CHECK-SAME: (%[[X:.*]]: tensor<4x1xf32>)
// CHECK: %[[R:.*]] = graph.reshape %[[X]]
// CHECK: return %[[X]], %[[R]]
func.func @products(%x: tensor<4x1xf32>) -> (tensor<4x1xf32>, tensor<4xf32>) {
  %0 = graph.prod %x dims = [] : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %1 = graph.prod %x dims = [1] : (tensor<4x1xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4x1xf32>, tensor<4xf32>
}
