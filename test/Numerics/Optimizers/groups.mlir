// Parameter groups with an optimizer and a kind of master each.
// RUN: mpc-opt %s --compile-to=update | FileCheck %s
// CHECK-LABEL: func.func @model_step
// CHECK-SAME: tensor<4xbf16> {graph.init = #graph.zeros, graph.parameter = "embed.w"}
// CHECK-SAME: tensor<4xf32> {graph.init = #graph.zeros, graph.parameter = "head.w"}
// CHECK-SAME: tensor<4xbf16> {graph.state = #graph.state<"embed.w.compensation" compensation of "embed.w" init #graph.zeros>}
// CHECK-DAG: graph.adagrad
// CHECK-DAG: graph.kahan_round
// CHECK-DAG: graph.lamb
func.func @model(%x: tensor<4xf32> {graph.input = "x"},
    %e: tensor<4xf32> {graph.init = #graph.zeros, graph.parameter = "embed.w"}, %h: tensor<4xf32> {graph.init = #graph.zeros, graph.parameter = "head.w"})
    -> (tensor<f32> {graph.loss})
    attributes {graph.training = #graph.training<
      optimizer = #graph.optimizer<name = "lamb", lr = 0.5>,
      groups = [#graph.parameter_group<name = "embeddings", pattern = "embed.*", optimizer = #graph.optimizer<name = "adagrad", lr = 0.1, master = "bf16_kahan">>]>} {
  %0 = graph.mul %x, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.mul %0, %h : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %loss = graph.sum %1 dims = [0] : (tensor<4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
