// RUN: mpc-opt %s --mpc-recompute --split-input-file | FileCheck %s
// RUN: mpc-opt %s --mpc-recompute --cse --mpc-decompose --cse --mpc-group --split-input-file | FileCheck %s --check-prefix=GROUP

// What is marked is computed again where the backward first reads it, from what
// is kept, after a cotangent; both readers share the copy. `forward` and marks
// are left alone and gone.
// CHECK-LABEL: func.func @m(
// CHECK-NOT: graph.recompute
// CHECK-LABEL: func.func @m_step
// CHECK: %[[U:.*]] = graph.matmul %arg0, %arg1 :
// CHECK: %[[E:.*]] = graph.exp %[[U]] : tensor<4x4xf32>
// CHECK: %[[H:.*]] = graph.tanh %[[E]] : tensor<4x4xf32>
// CHECK: %[[Y:.*]] = graph.matmul %[[H]], %arg1 :
// CHECK: %[[DY:.*]] = graph.mul %[[Y]], %[[Y]]
// CHECK: %[[DH:.*]] = graph.matmul %[[DY]], %arg1 transpose_rhs
// CHECK: %[[LATE:.*]] = graph.optimization_barrier %[[U]] after %[[DY]]
// CHECK: %[[E2:.*]] = graph.exp %[[LATE]] : tensor<4x4xf32>
// CHECK: %[[H2:.*]] = graph.tanh %[[E2]] : tensor<4x4xf32>
// CHECK: %[[DW:.*]] = graph.matmul %[[H2]], %[[DY]] transpose_lhs
// CHECK: graph.mul %[[DH]], %[[H2]]
// CHECK-NOT: graph.recompute
// Grouping keeps both: the kernel of the forward stores one of them alone.
// GROUP-LABEL: func.func @m_step
// GROUP-COUNT-2: graph.exp
func.func @m(%x: tensor<4x4xf32> {graph.input = "x"}, %w: tensor<4x4xf32> {graph.parameter = "w", graph.init = #graph.zeros})
    -> (tensor<f32> {graph.loss}) attributes {graph.entry = "forward"} {
  %u = graph.matmul %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %e = graph.exp %u {graph.recompute} : tensor<4x4xf32>
  %h = graph.tanh %e {graph.recompute} : tensor<4x4xf32>
  %y = graph.matmul %h, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %l = graph.sum %y dims = [0, 1] : (tensor<4x4xf32>) -> tensor<f32>
  return %l : tensor<f32>
}
func.func @m_step(%x: tensor<4x4xf32> {graph.input = "x"}, %w: tensor<4x4xf32> {graph.parameter = "w", graph.init = #graph.zeros})
    -> (tensor<f32> {graph.loss}, tensor<4x4xf32> {graph.output = "dw"}, tensor<4x4xf32> {graph.output = "du"}) attributes {graph.entry = "step"} {
  %u = graph.matmul %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %e = graph.exp %u {graph.recompute} : tensor<4x4xf32>
  %h = graph.tanh %e {graph.recompute} : tensor<4x4xf32>
  %y = graph.matmul %h, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %l = graph.sum %y dims = [0, 1] : (tensor<4x4xf32>) -> tensor<f32>
  %dy = graph.mul %y, %y : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %dh = graph.matmul %dy, %w transpose_rhs : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %dw = graph.matmul %h, %dy transpose_lhs : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %du = graph.mul %dh, %h : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %l, %dw, %du : tensor<f32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// -----
// Of an argument alone the copy would be what it copies, so that is read late,
// too. A cast that autocast put in is marked as its readers are. What the
// backward reads before it has made anything is kept.
// CHECK-LABEL: func.func @k_step
// CHECK: %[[C:.*]] = graph.cast %arg0 because
// CHECK: %[[E:.*]] = graph.exp %[[C]]
// CHECK: %[[D:.*]] = graph.mul %[[E]], %[[E]]
// CHECK: %[[X:.*]] = graph.optimization_barrier %arg0 after %[[D]]
// CHECK: %[[C2:.*]] = graph.cast %[[X]] because
// CHECK: graph.mul %[[D]], %[[C2]]
func.func @k(%x: tensor<4xf32> {graph.input = "x"}) -> (tensor<f32> {graph.loss}) attributes {graph.entry = "forward"} {
  %s = graph.sum %x dims = [0] : (tensor<4xf32>) -> tensor<f32>
  return %s : tensor<f32>
}
func.func @k_step(%x: tensor<4xf32> {graph.input = "x"})
    -> (tensor<f32> {graph.loss}, tensor<4xf16> {graph.output = "dx"}) attributes {graph.entry = "step"} {
  %c = graph.cast %x because "allow: exp runs in f16" : (tensor<4xf32>) -> tensor<4xf16>
  %e = graph.exp %c {graph.recompute} : tensor<4xf16>
  %w = graph.cast %e : (tensor<4xf16>) -> tensor<4xf32>
  %s = graph.sum %w dims = [0] : (tensor<4xf32>) -> tensor<f32>
  %d = graph.mul %e, %e : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  %dx = graph.mul %d, %c : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  return %s, %dx : tensor<f32>, tensor<4xf16>
}
