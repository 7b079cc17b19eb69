// Structure of the gradients of family Shape: each movement has a movement as
// its gradient and keeps nothing.
// RUN: mpc-opt %s --mpc-differentiate | FileCheck %s

// CHECK-LABEL: func.func @reshape_step(
// CHECK: graph.constant {graph.seed}
// CHECK: %[[DY:.*]] = graph.broadcast %{{.*}} -> tensor<3x4xf32>
// CHECK-NEXT: %[[DX:.*]] = graph.reshape %[[DY]] : (tensor<3x4xf32>) -> tensor<2x6xf32>
// CHECK-NEXT: return %{{.*}}, %[[DX]]
func.func @reshape(%x: tensor<2x6xf32> {graph.parameter = "x"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.reshape %x : (tensor<2x6xf32>) -> tensor<3x4xf32>
  %loss = graph.sum %y dims = [0, 1] : (tensor<3x4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// CHECK-LABEL: func.func @transpose_step(
// CHECK: graph.constant {graph.seed}
// CHECK: %[[DY:.*]] = graph.broadcast %{{.*}} -> tensor<5x2x3xf32>
// CHECK-NEXT: %[[DX:.*]] = graph.transpose %[[DY]] permutation = [1, 2, 0]
// CHECK-NEXT: return %{{.*}}, %[[DX]]
func.func @transpose(%x: tensor<2x3x5xf32> {graph.parameter = "x"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.transpose %x permutation = [2, 0, 1] : (tensor<2x3x5xf32>) -> tensor<5x2x3xf32>
  %loss = graph.sum %y dims = [0, 1, 2] : (tensor<5x2x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// CHECK-LABEL: func.func @slice_step(
// CHECK: graph.constant {graph.seed}
// CHECK: %[[DY:.*]] = graph.broadcast %{{.*}} -> tensor<3xf32>
// CHECK-NEXT: %[[DX:.*]] = graph.pad %[[DY]] low = [2] high = [2]
// CHECK-NEXT: return %{{.*}}, %[[DX]]
func.func @slice(%x: tensor<7xf32> {graph.parameter = "x"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.slice %x offsets = [2] sizes = [3] : (tensor<7xf32>) -> tensor<3xf32>
  %loss = graph.sum %y dims = [0] : (tensor<3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// CHECK-LABEL: func.func @pad_step(
// CHECK: graph.constant {graph.seed}
// CHECK: %[[DY:.*]] = graph.broadcast %{{.*}} -> tensor<6xf32>
// CHECK-NEXT: %[[DX:.*]] = graph.slice %[[DY]] offsets = [1] sizes = [3]
// CHECK-NEXT: return %{{.*}}, %[[DX]]
func.func @pad(%x: tensor<3xf32> {graph.parameter = "x"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.pad %x low = [1] high = [2] : (tensor<3xf32>) -> tensor<6xf32>
  %loss = graph.sum %y dims = [0] : (tensor<6xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// CHECK-LABEL: func.func @broadcast_step(
// CHECK: graph.constant {graph.seed}
// CHECK: %[[DY:.*]] = graph.broadcast %{{.*}} -> tensor<2x3xf32>
// CHECK-NEXT: %[[DX:.*]] = graph.sum %[[DY]] dims = [0] : (tensor<2x3xf32>) -> tensor<3xf32>
// CHECK-NEXT: return %{{.*}}, %[[DX]]
func.func @broadcast(%x: tensor<3xf32> {graph.parameter = "x"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.broadcast %x : (tensor<3xf32>) -> tensor<2x3xf32>
  %loss = graph.sum %y dims = [0, 1] : (tensor<2x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// Inputs of a concatenation that want no gradient are skipped.
// CHECK-LABEL: func.func @concat_step(
// CHECK: graph.constant {graph.seed}
// CHECK: %[[DY:.*]] = graph.broadcast
// CHECK-NEXT: %[[DA:.*]] = graph.slice %[[DY]] offsets = [0] sizes = [2]
// CHECK-NEXT: %[[DB:.*]] = graph.slice %[[DY]] offsets = [5] sizes = [4]
// CHECK-NEXT: return %{{.*}}, %[[DA]], %[[DB]]
func.func @concat(%a: tensor<2xf32> {graph.parameter = "a"}, %x: tensor<3xf32> {graph.input = "x"}, %b: tensor<4xf32> {graph.parameter = "b"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.concat %a, %x, %b dim = 0 : (tensor<2xf32>, tensor<3xf32>, tensor<4xf32>) -> tensor<9xf32>
  %loss = graph.sum %y dims = [0] : (tensor<9xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// The parts of a product of query, key and value: one concat.
// CHECK-LABEL: func.func @split_step(
// CHECK: graph.constant {graph.seed}
// CHECK-NOT: graph.pad
// CHECK: graph.concat %{{.*}}, %{{.*}} dim = 1 : (tensor<4x2xf32>, tensor<4x3xf32>) -> tensor<4x5xf32>
func.func @split(%x: tensor<4x5xf32> {graph.parameter = "x"}) -> (tensor<f32> {graph.loss}) {
  %a, %b = graph.split %x dim = 1 sizes = [2, 3] : (tensor<4x5xf32>) -> (tensor<4x2xf32>, tensor<4x3xf32>)
  %0 = graph.sum %a dims = [0, 1] : (tensor<4x2xf32>) -> tensor<f32>
  %1 = graph.sum %b dims = [0, 1] : (tensor<4x3xf32>) -> tensor<f32>
  %loss = graph.mul %0, %1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
