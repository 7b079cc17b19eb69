// RUN: mpc-opt %s --mpc-drop-loss | FileCheck %s
// RUN: mpc-opt %s --mpc-drop-loss --remarks 2>&1 | FileCheck %s --check-prefix=REMARK

// Gone are the loss, the labels, the mask, and a parameter that only a second
// loss has; what the outputs need stays, in its order.
// CHECK-LABEL: func.func @model(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x3xf32> {graph.input = "x"},
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<3x5xf32> {graph.init = #graph.zeros, graph.parameter = "w"})
// CHECK-SAME: -> (tensor<4x5xf32> {graph.output = "logits"}, tensor<4xf32> {graph.output = "largest"})
// CHECK-NEXT: %[[LOGITS:.*]] = graph.matmul %[[X]], %[[W]]
// CHECK-NEXT: %[[LARGEST:.*]] = graph.max %[[LOGITS]]
// CHECK-NEXT: return %[[LOGITS]], %[[LARGEST]]
// CHECK-NOT: @scale
func.func private @scale(%y: tensor<f32>) -> tensor<f32> {
  %0 = graph.add %y, %y : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
// REMARK-DAG: input 'label' is left out: no output depends on it
// REMARK-DAG: input 'mask' is left out: no output depends on it
// REMARK-DAG: parameter 'aux.w' is left out: no output depends on it
func.func @model(%x: tensor<4x3xf32> {graph.input = "x"}, %label: tensor<4xi32> {graph.input = "label"},
                 %mask: tensor<4xi1> {graph.input = "mask"},
                 %w: tensor<3x5xf32> {graph.parameter = "w", graph.init = #graph.zeros},
                 %aux: tensor<3xf32> {graph.parameter = "aux.w", graph.init = #graph.zeros})
    -> (tensor<f32> {graph.loss = "main"}, tensor<4x5xf32> {graph.output = "logits"},
        tensor<f32> {graph.loss = "aux", graph.output = "aux"}, tensor<4xf32> {graph.output = "largest"}) {
  %logits = graph.matmul %x, %w : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  %0 = graph.cross_entropy %logits, %label mask %mask : (tensor<4x5xf32>, tensor<4xi32>, tensor<4xi1>) -> tensor<f32>
  %loss = graph.custom @scale(%0) policy = "Deny" : (tensor<f32>) -> tensor<f32>
  %1 = graph.mul %x, %aux : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %second = graph.mean %1 dims = [0, 1] : (tensor<4x3xf32>) -> tensor<f32>
  %largest = graph.max %logits dims = [1] : (tensor<4x5xf32>) -> tensor<4xf32>
  return %loss, %logits, %second, %largest : tensor<f32>, tensor<4x5xf32>, tensor<f32>, tensor<4xf32>
}
