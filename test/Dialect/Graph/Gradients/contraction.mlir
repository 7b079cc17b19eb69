// Structure of the gradients of family Contraction: two products per matmul,
// with transpose flags and no transpose op.
// RUN: mpc-opt %s --mpc-differentiate | FileCheck %s
// CHECK-NOT: graph.transpose

// CHECK-LABEL: func.func @matmul_nn_step(
// CHECK-SAME: %[[A:.*]]: tensor<3x5xf32> {{.*}}, %[[B:.*]]: tensor<5x2xf32>
// CHECK: %[[DC:.*]] = graph.broadcast
// CHECK-NEXT: graph.matmul %[[DC]], %[[B]] transpose_rhs : {{.*}} -> tensor<3x5xf32>
// CHECK-NEXT: graph.matmul %[[A]], %[[DC]] transpose_lhs : {{.*}} -> tensor<5x2xf32>
func.func @matmul_nn(%a: tensor<3x5xf32> {graph.parameter = "a"}, %b: tensor<5x2xf32> {graph.parameter = "b"}) -> (tensor<f32> {graph.loss}) {
  %c = graph.matmul %a, %b : (tensor<3x5xf32>, tensor<5x2xf32>) -> tensor<3x2xf32>
  %loss = graph.sum %c dims = [0, 1] : (tensor<3x2xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// CHECK-LABEL: func.func @matmul_nt_step(
// CHECK-SAME: %[[A:.*]]: tensor<3x5xf32> {{.*}}, %[[B:.*]]: tensor<2x5xf32>
// CHECK: %[[DC:.*]] = graph.broadcast
// CHECK-NEXT: graph.matmul %[[DC]], %[[B]] : {{.*}} -> tensor<3x5xf32>
// CHECK-NEXT: graph.matmul %[[DC]], %[[A]] transpose_lhs : {{.*}} -> tensor<2x5xf32>
func.func @matmul_nt(%a: tensor<3x5xf32> {graph.parameter = "a"}, %b: tensor<2x5xf32> {graph.parameter = "b"}) -> (tensor<f32> {graph.loss}) {
  %c = graph.matmul %a, %b transpose_rhs : (tensor<3x5xf32>, tensor<2x5xf32>) -> tensor<3x2xf32>
  %loss = graph.sum %c dims = [0, 1] : (tensor<3x2xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// CHECK-LABEL: func.func @matmul_tn_step(
// CHECK-SAME: %[[A:.*]]: tensor<5x3xf32> {{.*}}, %[[B:.*]]: tensor<5x2xf32>
// CHECK: %[[DC:.*]] = graph.broadcast
// CHECK-NEXT: graph.matmul %[[B]], %[[DC]] transpose_rhs : {{.*}} -> tensor<5x3xf32>
// CHECK-NEXT: graph.matmul %[[A]], %[[DC]] : {{.*}} -> tensor<5x2xf32>
func.func @matmul_tn(%a: tensor<5x3xf32> {graph.parameter = "a"}, %b: tensor<5x2xf32> {graph.parameter = "b"}) -> (tensor<f32> {graph.loss}) {
  %c = graph.matmul %a, %b transpose_lhs : (tensor<5x3xf32>, tensor<5x2xf32>) -> tensor<3x2xf32>
  %loss = graph.sum %c dims = [0, 1] : (tensor<3x2xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// CHECK-LABEL: func.func @matmul_tt_step(
// CHECK-SAME: %[[A:.*]]: tensor<5x3xf32> {{.*}}, %[[B:.*]]: tensor<2x5xf32>
// CHECK: %[[DC:.*]] = graph.broadcast
// CHECK-NEXT: graph.matmul %[[B]], %[[DC]] transpose_lhs transpose_rhs : {{.*}} -> tensor<5x3xf32>
// CHECK-NEXT: graph.matmul %[[DC]], %[[A]] transpose_lhs transpose_rhs : {{.*}} -> tensor<2x5xf32>
func.func @matmul_tt(%a: tensor<5x3xf32> {graph.parameter = "a"}, %b: tensor<2x5xf32> {graph.parameter = "b"}) -> (tensor<f32> {graph.loss}) {
  %c = graph.matmul %a, %b transpose_lhs transpose_rhs : (tensor<5x3xf32>, tensor<2x5xf32>) -> tensor<3x2xf32>
  %loss = graph.sum %c dims = [0, 1] : (tensor<3x2xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// A weight shared by a batch: one product over all rows, not one per sample
// and a sum.
// CHECK-LABEL: func.func @shared_weight_step(
// CHECK: %[[DC:.*]] = graph.broadcast
// CHECK: graph.reshape %{{.*}} : (tensor<4x3x5xf32>) -> tensor<12x5xf32>
// CHECK: graph.reshape %[[DC]] : (tensor<4x3x2xf32>) -> tensor<12x2xf32>
// CHECK: graph.matmul %{{.*}} transpose_lhs : (tensor<12x5xf32>, tensor<12x2xf32>) -> tensor<5x2xf32>
// CHECK-NEXT: return
func.func @shared_weight(%a: tensor<4x3x5xf32> {graph.input = "a"}, %b: tensor<5x2xf32> {graph.parameter = "b"}) -> (tensor<f32> {graph.loss}) {
  %c = graph.matmul %a, %b : (tensor<4x3x5xf32>, tensor<5x2xf32>) -> tensor<4x3x2xf32>
  %loss = graph.sum %c dims = [0, 1, 2] : (tensor<4x3x2xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// Products with an f32 result still have backward products of their operands'
// type.
// CHECK-LABEL: func.func @wide_result_step(
// CHECK: graph.cast %{{.*}} because "gradient computed in f16" : (tensor<3x2xf32>) -> tensor<3x2xf16>
// CHECK-NEXT: graph.matmul {{.*}} : (tensor<3x5xf16>, tensor<3x2xf16>) -> tensor<5x2xf16>
func.func @wide_result(%a: tensor<3x5xf16> {graph.input = "a"}, %b: tensor<5x2xf16> {graph.parameter = "b"}) -> (tensor<f32> {graph.loss}) {
  %c = graph.matmul %a, %b dtype = f32 : (tensor<3x5xf16>, tensor<5x2xf16>) -> tensor<3x2xf32>
  %loss = graph.sum %c dims = [0, 1] : (tensor<3x2xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// A bias gets the sum over all dims but the last; input and weight what they get
// without it.
// CHECK-LABEL: func.func @bias_step(
// CHECK-SAME: %[[A:.*]]: tensor<2x3x5xf32> {{.*}}, %[[B:.*]]: tensor<5x4xf32>
// CHECK: %[[DC:.*]] = graph.broadcast
// CHECK-NEXT: graph.sum %[[DC]] dims = [0, 1] : (tensor<2x3x4xf32>) -> tensor<4xf32>
// CHECK-NEXT: graph.matmul %[[DC]], %[[B]] transpose_rhs : (tensor<2x3x4xf32>, tensor<5x4xf32>) -> tensor<2x3x5xf32>
// CHECK: graph.matmul %{{.*}}, %{{.*}} transpose_lhs : (tensor<6x5xf32>, tensor<6x4xf32>) -> tensor<5x4xf32>
// CHECK-NEXT: return
func.func @bias(%a: tensor<2x3x5xf32> {graph.parameter = "a"}, %b: tensor<5x4xf32> {graph.parameter = "b"}, %c: tensor<4xf32> {graph.parameter = "c"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.matmul %a, %b bias %c : (tensor<2x3x5xf32>, tensor<5x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  %loss = graph.sum %y dims = [0, 1, 2] : (tensor<2x3x4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// A bias that is wider than the result gets a sum that is as wide; a narrower
// one a sum in the result's type, rounded once.
// CHECK-LABEL: func.func @bias_types_step(
// CHECK: graph.sum %{{.*}} dims = [0] dtype = f32 : (tensor<3x4xbf16>) -> tensor<4xf32>
// CHECK: %[[S:.*]] = graph.sum %{{.*}} dims = [0] : (tensor<3x4xf32>) -> tensor<4xf32>
// CHECK-NEXT: graph.cast %[[S]] {{.*}} -> tensor<4xbf16>
func.func @bias_types(%a: tensor<3x5xbf16> {graph.input = "a"}, %b: tensor<5x4xbf16> {graph.input = "b"}, %c: tensor<4xbf16> {graph.parameter = "c"}, %d: tensor<4xf32> {graph.parameter = "d"}) -> (tensor<f32> {graph.loss}) {
  %0 = graph.matmul %a, %b bias %c dtype = f32 : (tensor<3x5xbf16>, tensor<5x4xbf16>, tensor<4xbf16>) -> tensor<3x4xf32>
  %1 = graph.matmul %a, %b bias %d : (tensor<3x5xbf16>, tensor<5x4xbf16>, tensor<4xf32>) -> tensor<3x4xbf16>
  %2 = graph.sum %0 dims = [0, 1] : (tensor<3x4xf32>) -> tensor<f32>
  %3 = graph.sum %1 dims = [0, 1] dtype = f32 : (tensor<3x4xbf16>) -> tensor<f32>
  %loss = graph.add %2, %3 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
