// Rows that a GPU keeps in shared memory: of 1600 in tiles, whose columns are
// folded beside them, and of 20000, which two sweeps read.
// RUN: %compare --steps=2
// RUN: %compare --error-rule --steps=1 -- --precision=bf16

// They do lie there: a tile behind the other, and a row.
// RUN: mpc-opt %s --compile-to=group --target=cuda | mpc-opt --mpc-emit-kernels=gpu=sm_90 | FileCheck %s
// CHECK-LABEL: gpu.func @wide_step_1(
// CHECK-COUNT-4: gpu.dynamic_shared_memory
// CHECK-LABEL: gpu.func @wide_step_3(
// CHECK: gpu.dynamic_shared_memory
func.func @wide(
    %x: tensor<96x16xf32> {graph.input = "x"}, %target: tensor<96x1600xf32> {graph.input = "target"},
    %z: tensor<3x20000xf32> {graph.input = "z"}, %label: tensor<3xi32> {graph.input = "label"},
    %w: tensor<16x1600xf32> {graph.parameter = "w", graph.init = #graph.normal<0.0, 0.3>},
    %g: tensor<1600xf32> {graph.parameter = "g", graph.init = #graph.normal<1.0, 0.1>},
    %b: tensor<1600xf32> {graph.parameter = "b", graph.init = #graph.zeros},
    %h: tensor<20000xf32> {graph.parameter = "h", graph.init = #graph.normal<1.0, 0.1>})
    -> (tensor<f32> {graph.loss}, tensor<3x20000xf32> {graph.output = "y"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1, momentum = 0.9>>} {
  %0 = graph.matmul %x, %w : (tensor<96x16xf32>, tensor<16x1600xf32>) -> tensor<96x1600xf32>
  %1 = graph.layer_norm %0 weight %g bias %b first_dim = 1 : (tensor<96x1600xf32>, tensor<1600xf32>, tensor<1600xf32>) -> tensor<96x1600xf32>
  %m = graph.mse %1, %target : (tensor<96x1600xf32>, tensor<96x1600xf32>) -> tensor<f32>
  %2 = graph.mul %z, %h : (tensor<3x20000xf32>, tensor<20000xf32>) -> tensor<3x20000xf32>
  %y = graph.softmax %2 dim = 1 : (tensor<3x20000xf32>) -> tensor<3x20000xf32>
  %l = graph.cross_entropy %2, %label : (tensor<3x20000xf32>, tensor<3xi32>) -> tensor<f32>
  %loss = graph.add %m, %l : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %loss, %y : tensor<f32>, tensor<3x20000xf32>
}
