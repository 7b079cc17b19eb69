// Structure of the gradients of family Normalization.
// RUN: mpc-opt %s --mpc-differentiate | FileCheck %s

// From the result: dx = y * (dy - sum(dy * y)).
// CHECK-LABEL: func.func @softmax_step(
// CHECK: %[[Y:.*]] = graph.softmax
// CHECK: %[[DY:.*]] = graph.broadcast
// CHECK-NEXT: %[[P:.*]] = graph.mul %[[DY]], %[[Y]]
// CHECK-NEXT: %[[S:.*]] = graph.sum %[[P]] dims = [1] keep
// CHECK-NEXT: %[[D:.*]] = graph.sub %[[DY]], %[[S]]
// CHECK-NEXT: %[[DX:.*]] = graph.mul %[[Y]], %[[D]]
// CHECK-NEXT: return %{{.*}}, %[[DX]]
func.func @softmax(%x: tensor<2x3xf32> {graph.parameter = "x"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.softmax %x dim = 1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %loss = graph.sum %y dims = [0, 1] : (tensor<2x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// From the result: dx = dy - exp(y) * sum(dy).
// CHECK-LABEL: func.func @log_softmax_step(
// CHECK: %[[Y:.*]] = graph.log_softmax
// CHECK: %[[DY:.*]] = graph.broadcast
// CHECK-DAG: graph.exp %[[Y]]
// CHECK-DAG: graph.sum %[[DY]] dims = [0] keep
// CHECK: %[[DX:.*]] = graph.sub %[[DY]],
// CHECK-NEXT: return %{{.*}}, %[[DX]]
func.func @log_softmax(%x: tensor<3xf32> {graph.parameter = "x"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.log_softmax %x dim = 0 : (tensor<3xf32>) -> tensor<3xf32>
  %loss = graph.sum %y dims = [0] : (tensor<3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// Keeps the input alone and computes its statistics again; the gradients of
// weight and bias are summed over the rows by the engine.
// CHECK-LABEL: func.func @layer_norm_step(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>
// CHECK: %[[Y:.*]] = graph.layer_norm
// CHECK: %[[DY:.*]] = graph.broadcast
// CHECK: %[[DB:.*]] = graph.sum %[[DY]] dims = [0]
// CHECK: %[[MEAN:.*]] = graph.mean %[[X]] dims = [1] keep
// CHECK: %[[C:.*]] = graph.sub %[[X]], %[[MEAN]]
// CHECK: graph.rsqrt
// CHECK-NOT: %[[Y]]
// CHECK: %[[DW:.*]] = graph.sum %{{.*}} dims = [0] : (tensor<4x8xf32>) -> tensor<8xf32>
// CHECK: return %{{.*}}, %{{.*}}, %[[DW]], %[[DB]]
func.func @layer_norm(%x: tensor<4x8xf32> {graph.parameter = "x"}, %w: tensor<8xf32> {graph.parameter = "w"}, %b: tensor<8xf32> {graph.parameter = "b"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.layer_norm %x weight %w bias %b first_dim = 1 : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %loss = graph.sum %y dims = [0, 1] : (tensor<4x8xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// A bias alone needs no statistics.
// CHECK-LABEL: func.func @only_bias_step(
// CHECK: graph.layer_norm
// CHECK-NOT: graph.mean
// CHECK: return
func.func @only_bias(%x: tensor<4x8xf32> {graph.input = "x"}, %b: tensor<8xf32> {graph.parameter = "b"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.layer_norm %x bias %b first_dim = 1 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %loss = graph.sum %y dims = [0, 1] : (tensor<4x8xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
