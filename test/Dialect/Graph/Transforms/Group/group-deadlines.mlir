// RUN: mpc-opt %s --mpc-group | FileCheck %s
// What the backward pass recomputes from %x is computed there: fused into the
// kernel that writes %y it would be stored across the product between.

// CHECK-LABEL: @recomputed
// CHECK: %[[Y:.*]] = graph.group <row> %arg0 : (tensor<64x64xf32>) -> tensor<64x64xf32>
// CHECK: %[[P:.*]] = graph.group <library> %[[Y]], %arg1
// CHECK: %[[D:.*]] = graph.group <row> %arg0, %[[P]] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
// CHECK: graph.exp
// CHECK: graph.mul
// CHECK: graph.group <library> %[[D]], %arg1
func.func @recomputed(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = graph.tanh %x : tensor<64x64xf32>
  %p = graph.matmul %y, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %e = graph.exp %x : tensor<64x64xf32>
  %d = graph.mul %e, %p : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %q = graph.matmul %d, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %q : tensor<64x64xf32>
}

// A sum is small enough to wait: one pass over %x makes both.
// CHECK-LABEL: @summed
// CHECK: graph.group <column> %arg0 : (tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64xf32>)
func.func @summed(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = graph.tanh %x : tensor<64x64xf32>
  %s = graph.sum %y dims = [0] : (tensor<64x64xf32>) -> tensor<64xf32>
  %p = graph.matmul %y, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %b = graph.add %p, %s : (tensor<64x64xf32>, tensor<64xf32>) -> tensor<64x64xf32>
  %q = graph.matmul %b, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %q : tensor<64x64xf32>
}

// Scalars are one kernel, whichever product waits for them: a step has dozens
// of them, each of four bytes.
// CHECK-LABEL: func.func @scalars
// CHECK: %[[SCALARS:.*]]:2 = graph.group <row> %arg0, %arg1
// CHECK-NOT: (tensor<f32>) -> tensor<f32>
// CHECK: return
func.func @scalars(%a: tensor<f32>, %b: tensor<f32>, %x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = graph.mul %a, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %1 = graph.mul %x, %0 : (tensor<64x64xf32>, tensor<f32>) -> tensor<64x64xf32>
  %2 = graph.matmul %1, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %3 = graph.mul %b, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %4 = graph.mul %2, %3 : (tensor<64x64xf32>, tensor<f32>) -> tensor<64x64xf32>
  %5 = graph.matmul %4, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %5 : tensor<64x64xf32>
}
