// Structure of the gradients of family Indexing: each op has the other as its
// gradient and keeps the indices alone.
// RUN: mpc-opt %s --mpc-differentiate | FileCheck %s

// What is padding gets no gradient.
// CHECK-LABEL: func.func @gather_step(
// CHECK: graph.constant {graph.seed}
// CHECK: %[[DY:.*]] = graph.broadcast %{{.*}} -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[DX:.*]] = graph.segment_sum %[[DY]], %{{.*}} dim = 0 size = 50 ignore_index = 7 : (tensor<2x3x8xf32>, tensor<2x3xi32>) -> tensor<50x8xf32>
// CHECK-NEXT: return %{{.*}}, %[[DX]]
func.func @gather(%x: tensor<50x8xf32> {graph.parameter = "x"}, %i: tensor<2x3xi32> {graph.input = "i"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.gather %x, %i dim = 0 padding_index = 7 : (tensor<50x8xf32>, tensor<2x3xi32>) -> tensor<2x3x8xf32>
  %loss = graph.sum %y dims = [0, 1, 2] : (tensor<2x3x8xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// What was not added gets none: indices from outside, and the one ignored.
// CHECK-LABEL: func.func @segment_sum_step(
// CHECK: graph.constant {graph.seed}
// CHECK-DAG: %[[DY:.*]] = graph.broadcast %{{.*}} -> tensor<4x5x8xf32>
// CHECK-DAG: graph.compare <ge>
// CHECK-DAG: graph.compare <lt>
// CHECK-DAG: graph.compare <ne>
// CHECK: %[[G:.*]] = graph.gather %[[DY]], %{{.*}} dim = 1 : (tensor<4x5x8xf32>, tensor<3xi32>) -> tensor<4x3x8xf32>
// CHECK: %[[DX:.*]] = graph.select %{{.*}}, %[[G]], %{{.*}} -> tensor<4x3x8xf32>
// CHECK-NEXT: return %{{.*}}, %[[DX]]
func.func @segment_sum(%x: tensor<4x3x8xf32> {graph.parameter = "x"}, %i: tensor<3xi32> {graph.input = "i"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.segment_sum %x, %i dim = 1 size = 5 ignore_index = 2 : (tensor<4x3x8xf32>, tensor<3xi32>) -> tensor<4x5x8xf32>
  %loss = graph.sum %y dims = [0, 1, 2] : (tensor<4x5x8xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
