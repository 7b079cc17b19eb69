// RUN: mpc-opt %s --canonicalize --cse | FileCheck %s

// Two draws are two, and stay although nobody reads them, before they have
// streams. A dropout of nothing is its input.
// CHECK-LABEL: @without_streams
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK: %[[A:.*]] = graph.dropout %[[X]] ratio = 5.000000e-01
// CHECK: %[[B:.*]] = graph.dropout %[[X]] ratio = 5.000000e-01
// CHECK: graph.uniform
// CHECK: return %[[A]], %[[B]], %[[X]]
func.func @without_streams(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.dropout %x ratio = 0.5 : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.dropout %x ratio = 0.5 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = graph.dropout %x ratio = 0.0 : (tensor<4xf32>) -> tensor<4xf32>
  %3 = graph.uniform low = 0.0 high = 1.0 : () -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// With streams they are pure: of one stream the same, of another not.
// CHECK-LABEL: @with_streams
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK: %[[A:.*]] = graph.dropout %[[X]] ratio = 5.000000e-01 stream = 0
// CHECK: %[[B:.*]] = graph.dropout %[[X]] ratio = 5.000000e-01 stream = 1
// CHECK-NOT: graph.uniform
// CHECK: return %[[A]], %[[B]], %[[A]]
func.func @with_streams(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.dropout %x ratio = 0.5 stream = 0 : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.dropout %x ratio = 0.5 stream = 1 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = graph.dropout %x ratio = 0.5 stream = 0 : (tensor<4xf32>) -> tensor<4xf32>
  %3 = graph.uniform low = 0.0 high = 1.0 stream = 2 : () -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
