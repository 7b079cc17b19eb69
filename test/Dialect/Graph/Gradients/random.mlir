// The gradient of dropout draws what the forward drew: nothing is kept.
// RUN: mpc-opt %s --mpc-number-random --mpc-differentiate | FileCheck %s
// RUN: not mpc-opt %s --mpc-differentiate 2>&1 | FileCheck %s --check-prefix=UNNUMBERED
// UNNUMBERED: expected a stream, from which the backward draws again what the forward drew; run mpc-number-random first

// CHECK-LABEL: func.func @model_step(
// CHECK: graph.dropout %{{.*}} ratio = 2.500000e-01 stream = 7
// CHECK: graph.constant {graph.seed}
// CHECK: %[[DY:.*]] = graph.broadcast
// CHECK-NEXT: %[[DZ:.*]] = graph.dropout %[[DY]] ratio = 5.000000e-01 stream = 0
// CHECK-NEXT: %[[DX:.*]] = graph.dropout %[[DZ]] ratio = 2.500000e-01 stream = 7
// CHECK-NEXT: return %{{.*}}, %[[DX]]
func.func @model(%x: tensor<4xf32> {graph.parameter = "x"}) -> (tensor<f32> {graph.loss}) {
  %y = graph.dropout %x ratio = 0.25 stream = 7 : (tensor<4xf32>) -> tensor<4xf32>
  %z = graph.dropout %y ratio = 0.5 : (tensor<4xf32>) -> tensor<4xf32>
  %loss = graph.sum %z dims = [0] : (tensor<4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
