// Losses with names are no outputs of the model that a pattern could drop: they
// stay, and so do the metrics that have them.
// RUN: mpc-opt %s --compile-to=update --drop-outputs='.*' | FileCheck %s
// RUN: not mpc-opt %s --compile-to=update --drop-outputs='aux' 2>&1 | FileCheck %s --check-prefix=NONE
// CHECK-LABEL: func.func @m_step(
// CHECK-SAME: graph.output = "main"}, tensor<f32> {graph.loss_term, graph.output = "aux"}
// CHECK-NOT: graph.output = "logits"
// NONE: matches none of 'logits'
func.func @m(%x: tensor<8x4xf32> {graph.input = "x"},
    %w: tensor<4x2xf32> {graph.parameter = "w", graph.init = #graph.zeros})
    -> (tensor<f32> {graph.loss = "main"}, tensor<f32> {graph.loss = "aux"}, tensor<8x2xf32> {graph.output = "logits"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} {
  %0 = graph.matmul %x, %w : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  %1 = graph.mul %0, %0 : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
  %main = graph.mean %1 dims = [0, 1] : (tensor<8x2xf32>) -> tensor<f32>
  %aux = graph.sum %1 dims = [0, 1] : (tensor<8x2xf32>) -> tensor<f32>
  return %main, %aux, %0 : tensor<f32>, tensor<f32>, tensor<8x2xf32>
}
