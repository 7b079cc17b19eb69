// RUN: mpc-opt %s --optimizer=sgd --lr=0.1 --loss-scale=dynamic --precision=fp16 --compile-to=scale | FileCheck %s
// With one step of time nothing is carried, and the gradient of the weight of
// what is carried is 0, cast to its type: no scale reaches it.

// CHECK-LABEL: func.func @one_step
// CHECK: graph.unscale
func.func @one(%x: tensor<1x2x3xf32> {graph.input = "x"},
               %w: tensor<4x3xf32> {graph.parameter = "w", graph.init = #graph.fill<0.1>},
               %u: tensor<4x4xf32> {graph.parameter = "u", graph.init = #graph.fill<0.1>})
    -> (tensor<f32> {graph.loss}) {
  %y, %last, %states = graph.rnn %x, %w, %u : (tensor<1x2x3xf32>, tensor<4x3xf32>, tensor<4x4xf32>) -> (tensor<1x2x4xf32>, tensor<2x4xf32>, tensor<1x2x4xf32>)
  %loss = graph.sum %y dims = [0, 1, 2] : (tensor<1x2x4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
