// A batch norm that is synchronized asks the other ranks three times in a step:
// for means, for squares and for the sums of its gradient, and how many they are
// once for all norms. Forward and backward share what they ask. Evaluation asks
// nothing; a program for one rank has the ops, and no step for them.
// RUN: mpc-opt %s --compile-to=group --precision=fp32 --optimizer=sgd --lr=0.1 | FileCheck %s
// RUN: mpc-opt %s --compile-to=exec --precision=fp32 --optimizer=sgd --lr=0.1 | grep -c 'exec.all_reduce_start <sum>' | FileCheck %s --check-prefix=STEPS
// RUN: mpc-opt %s --compile-to=exec --precision=fp32 --optimizer=sgd --lr=0.1 --reduce=none | FileCheck %s --check-prefix=NONE
// STEPS: 7
// NONE-NOT: all_reduce
// CHECK-LABEL: func.func @net(
// CHECK-NOT: graph.sum_over_ranks
// CHECK-LABEL: func.func @net_step(
// CHECK: graph.sum_over_ranks %{{.*}} : (tensor<1xf32>) -> tensor<1xf32>
// CHECK-COUNT-4: graph.sum_over_ranks %{{.*}} group = "data" : (tensor<3xf32>) -> tensor<3xf32>
// CHECK-COUNT-2: graph.sum_over_ranks %{{.*}}, %{{.*}} group = "data" : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
// CHECK-NOT: graph.sum_over_ranks
func.func @net(%x: tensor<4x3xf32> {graph.input = "x"},
    %w: tensor<3x3xf32> {graph.parameter = "w", graph.init = #graph.zeros},
    %s: tensor<3xf32> {graph.parameter = "s", graph.init = #graph.zeros},
    %m1: tensor<3xf32> {graph.state = #graph.state<"m1" running_statistic init #graph.zeros>},
    %v1: tensor<3xf32> {graph.state = #graph.state<"v1" running_statistic init #graph.fill<1.0>>},
    %m2: tensor<3xf32> {graph.state = #graph.state<"m2" running_statistic init #graph.zeros>},
    %v2: tensor<3xf32> {graph.state = #graph.state<"v2" running_statistic init #graph.fill<1.0>>})
    -> (tensor<f32> {graph.loss}) {
  %0 = graph.matmul %x, %w : (tensor<4x3xf32>, tensor<3x3xf32>) -> tensor<4x3xf32>
  %1 = graph.batch_norm %0 weight %s running %m1, %v1 synchronized : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %2 = graph.tanh %1 : tensor<4x3xf32>
  %3 = graph.matmul %2, %w : (tensor<4x3xf32>, tensor<3x3xf32>) -> tensor<4x3xf32>
  %4 = graph.batch_norm %3 running %m2, %v2 synchronized : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %5 = graph.tanh %4 : tensor<4x3xf32>
  %loss = graph.mean %5 dims = [0, 1] : (tensor<4x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
