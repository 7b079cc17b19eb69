// What is frozen has no gradient, and nothing is computed for it alone; what no
// loss depends on is frozen.
// RUN: mpc-opt %s --mpc-differentiate --mpc-verify-autodiff --split-input-file 2>/dev/null | FileCheck %s
// RUN: mpc-opt %s --mpc-differentiate --split-input-file 2>&1 >/dev/null | FileCheck %s --check-prefix=WARNING
// WARNING-NOT: 'f'
// WARNING: warning: parameter 'u' does not reach the loss; no step changes it
// WARNING-NOT: warning

// CHECK-LABEL: func.func @model(
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<5xf32> {graph.parameter = "u"})
// CHECK-LABEL: func.func @model_step(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x3xf32> {graph.input = "x"}
// CHECK-SAME: %[[F:[a-z0-9]+]]: tensor<3x4xf32> {graph.frozen, graph.parameter = "f"}
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4xf32> {graph.parameter = "w"}
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<5xf32> {graph.frozen, graph.parameter = "u"}) ->
// CHECK-SAME: (tensor<f32> {graph.loss}, tensor<5xf32> {graph.output = "y"}, tensor<4xf32> {graph.gradient = "w"})
// CHECK-COUNT-1: graph.matmul
// CHECK-NOT: graph.matmul
func.func @model(%x: tensor<2x3xf32> {graph.input = "x"}, %f: tensor<3x4xf32> {graph.parameter = "f", graph.frozen},
                 %w: tensor<4xf32> {graph.parameter = "w"}, %u: tensor<5xf32> {graph.parameter = "u"})
    -> (tensor<f32> {graph.loss}, tensor<5xf32> {graph.output = "y"}) {
  %0 = graph.matmul %x, %f : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %1 = graph.mul %0, %w : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %loss = graph.sum %1 dims = [0, 1] : (tensor<2x4xf32>) -> tensor<f32>
  %y = graph.exp %u : tensor<5xf32>
  return %loss, %y : tensor<f32>, tensor<5xf32>
}

// -----

// With nothing to train there is no step, and no complaint.
// CHECK-LABEL: func.func @given(
// CHECK-SAME: graph.entry = "forward"
// CHECK-NOT: func.func
func.func @given(%f: tensor<f32> {graph.parameter = "f", graph.frozen}) -> (tensor<f32> {graph.loss}) {
  return %f : tensor<f32>
}
