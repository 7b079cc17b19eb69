// Gradients as outputs: reduced and unscaled, before the clip, of the parameters
// whose whole name matches, in the order of the parameters and whatever group
// they are in.
// RUN: mpc-opt %s --compile-to=update --output-gradients='.*' --accumulate=2 | FileCheck %s
// RUN: mpc-opt %s --compile-to=update --output-gradients='w|layer' | FileCheck %s --check-prefix=SOME
// RUN: mpc-opt %s --compile-to=update | FileCheck %s --check-prefix=NONE

// A micro-batch that is not the last has no gradient to show.
// CHECK-LABEL: func.func @m_accumulate
// CHECK-NOT: graph.output = "gradient
// CHECK-LABEL: func.func @m_step
// CHECK-SAME: tensor<4x2xf32> {graph.output = "gradient.w"}, tensor<2xf32> {graph.output = "gradient.layer.b"}, tensor<f32> {graph.output = "grad_norm"}
// CHECK: %[[SUM_B:.*]] = graph.add %{{.*}}, %{{.*}} : (tensor<2xf32>, tensor<2xf32>)
// CHECK: %[[SUM_W:.*]] = graph.add %{{.*}}, %{{.*}} : (tensor<4x2xf32>, tensor<4x2xf32>)
// CHECK: %[[ALL:.*]]:2 = graph.all_reduce <average> %[[SUM_B]], %[[SUM_W]]
// CHECK: %[[B:.*]], %{{.*}} = graph.unscale %{{.*}}, %[[ALL]]#0
// CHECK: %[[W:.*]], %{{.*}} = graph.unscale %{{.*}}, %[[ALL]]#1
// CHECK: graph.mul %[[W]],
// CHECK: return {{.*}}%[[W]], %[[B]],

// Part of a name is not enough.
// SOME: graph.output = "gradient.w"
// SOME-NOT: graph.output = "gradient
// NONE-NOT: graph.output = "gradient
func.func @m(%x: tensor<8x4xf32> {graph.input = "x"},
    %w: tensor<4x2xf32> {graph.parameter = "w", graph.init = #graph.zeros},
    %b: tensor<2xf32> {graph.parameter = "layer.b", graph.init = #graph.zeros})
    -> (tensor<f32> {graph.loss})
    attributes {graph.training = #graph.training<
      precision = "fp16", loss_scale = #graph.loss_scale<mode = "dynamic">,
      optimizer = #graph.optimizer<name = "sgd", lr = 0.1>,
      groups = [#graph.parameter_group<name = "biases", pattern = ".*b", optimizer = #graph.optimizer<name = "sgd", lr = 0.2>>],
      clip = #graph.clip<norm = 1.0>>} {
  %0 = graph.matmul %x, %w : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  %1 = graph.add %0, %b : (tensor<8x2xf32>, tensor<2xf32>) -> tensor<8x2xf32>
  %2 = graph.mul %1, %1 : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
  %loss = graph.mean %2 dims = [0, 1] : (tensor<8x2xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
