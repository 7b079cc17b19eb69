// RUN: mpc-opt %s | mpc-opt | FileCheck %s
// A model file round-trips.
// CHECK-LABEL: func.func @digits
// CHECK: graph.matmul
// CHECK: graph.cross_entropy
func.func @digits(%x: tensor<64x64xf32> {graph.input = "x"},
                  %label: tensor<64xi32> {graph.input = "label"},
                  %w1: tensor<64x10xf32> {graph.parameter = "w1", graph.init = #graph.normal<0.0, 0.1>},
                  %b1: tensor<10xf32>    {graph.parameter = "b1", graph.init = #graph.zeros})
    -> (tensor<f32> {graph.loss}, tensor<64x10xf32> {graph.output = "logits"})
    attributes {graph.training = #graph.training<precision = "fp16", loss_scale = #graph.loss_scale<mode = "dynamic">, optimizer = #graph.optimizer<name = "adamw", lr = 0.001>, clip = #graph.clip<norm = 1.0>>} {
  %0 = graph.matmul %x, %w1 : (tensor<64x64xf32>, tensor<64x10xf32>) -> tensor<64x10xf32>
  %1 = graph.add %0, %b1 : (tensor<64x10xf32>, tensor<10xf32>) -> tensor<64x10xf32>
  %loss = graph.cross_entropy %1, %label : (tensor<64x10xf32>, tensor<64xi32>) -> tensor<f32>
  return %loss, %1 : tensor<f32>, tensor<64x10xf32>
}
