// Two parameter groups, no loss scale: a norm of either of them that is not
// finite keeps the state of both, which the gate proves.
// RUN: mpc-opt %s --compile-to=update --clip-scope=group | FileCheck %s
// RUN: mpc-opt %s --compile-to=update --clip-scope=global | FileCheck %s

// CHECK: %[[A:.*]] = graph.select %{{.*}} : (tensor<i1>, tensor<i1>, tensor<i1>) -> tensor<i1>
// CHECK: %[[B:.*]] = graph.select %{{.*}} : (tensor<i1>, tensor<i1>, tensor<i1>) -> tensor<i1>
// CHECK: %[[ANY:.*]] = graph.select %[[A]], %[[A]], %[[B]]
// CHECK-DAG: graph.select %[[ANY]], %{{.*}} : (tensor<i1>, tensor<4xf32>, tensor<4xf32>)
// CHECK-DAG: graph.select %[[ANY]], %{{.*}} : (tensor<i1>, tensor<3xf32>, tensor<3xf32>)
func.func @m(%w: tensor<4xf32> {graph.parameter = "w", graph.init = #graph.zeros},
    %b: tensor<3xf32> {graph.parameter = "b", graph.init = #graph.zeros})
    -> (tensor<f32> {graph.loss})
    attributes {graph.training = #graph.training<
      optimizer = #graph.optimizer<name = "sgd", lr = 0.1>,
      groups = [#graph.parameter_group<name = "biases", pattern = "b", optimizer = #graph.optimizer<name = "sgd", lr = 0.2>>],
      clip = #graph.clip<norm = 1.0, nonfinite = "error">>} {
  %0 = graph.sum %w dims = [0] : (tensor<4xf32>) -> tensor<f32>
  %1 = graph.sum %b dims = [0] : (tensor<3xf32>) -> tensor<f32>
  %loss = graph.mul %0, %1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
