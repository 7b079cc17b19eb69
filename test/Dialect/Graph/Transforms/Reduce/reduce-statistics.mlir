// What running statistics are moved towards is averaged, also where gradients
// are added up, and travels first.
// RUN: mpc-opt %s --mpc-differentiate --mpc-track-statistics --mpc-insert-all-reduce="reduce=sum" --mpc-verify-reduce | FileCheck %s
// RUN: mpc-opt %s --mpc-differentiate --mpc-track-statistics --mpc-insert-all-reduce="reduce=none" --mpc-verify-reduce | FileCheck %s --check-prefix=NONE
// NONE-NOT: all_reduce
// CHECK-LABEL: func.func @net_step(
// CHECK: graph.seed
// CHECK: %[[M:.*]], %[[V:.*]] = graph.channel_moments
// CHECK: %[[A:.*]]:2 = graph.all_reduce <average> %[[M]], %[[V]] group = "data" bucket = 0
// CHECK-NEXT: graph.moving_average %{{.*}}, %[[A]]#0
// CHECK-NEXT: graph.moving_average %{{.*}}, %[[A]]#1
// CHECK: graph.all_reduce <sum> %{{.*}} group = "data" bucket = 1 :
func.func @net(%x: tensor<4x3xf32> {graph.input = "x"},
    %w: tensor<3xf32> {graph.parameter = "w"},
    %mean: tensor<3xf32> {graph.state = #graph.state<"mean" running_statistic init #graph.zeros>},
    %variance: tensor<3xf32> {graph.state = #graph.state<"variance" running_statistic init #graph.fill<1.0>>})
    -> (tensor<f32> {graph.loss}) {
  %y = graph.batch_norm %x weight %w running %mean, %variance momentum = 0.25 population : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %loss = graph.sum %y dims = [0, 1] : (tensor<4x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// All ranks have the statistics of a synchronized norm: nothing is to be averaged.
// CHECK-LABEL: func.func @synchronized_step(
// CHECK-NOT: graph.all_reduce <average>
// CHECK: graph.moving_average %{{.*}}, %{{.*}} momentum = 2.500000e-01 synchronized :
// CHECK-NOT: graph.all_reduce <average>
// CHECK: graph.all_reduce <sum> %{{.*}} group = "data" bucket = 0 :
func.func @synchronized(%x: tensor<4x3xf32> {graph.input = "x"},
    %w: tensor<3xf32> {graph.parameter = "w"},
    %mean: tensor<3xf32> {graph.state = #graph.state<"mean" running_statistic init #graph.zeros>},
    %variance: tensor<3xf32> {graph.state = #graph.state<"variance" running_statistic init #graph.fill<1.0>>})
    -> (tensor<f32> {graph.loss}) {
  %y = graph.batch_norm %x weight %w running %mean, %variance momentum = 0.25 population synchronized : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %loss = graph.sum %y dims = [0, 1] : (tensor<4x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// One value of a channel on each rank is enough for the unbiased variance, and
// does not divide by 0 where there is one rank.
// CHECK-LABEL: func.func @one_each_step(
// CHECK: %[[RANKS:.*]] = graph.sum_over_ranks
// CHECK: %[[OTHERS:.*]] = graph.sub
// CHECK: graph.maximum %[[OTHERS]], %{{.*}}
// CHECK: graph.div
func.func @one_each(%x: tensor<1x3xf32> {graph.input = "x"},
    %w: tensor<3xf32> {graph.parameter = "w"},
    %mean: tensor<3xf32> {graph.state = #graph.state<"mean" running_statistic init #graph.zeros>},
    %variance: tensor<3xf32> {graph.state = #graph.state<"variance" running_statistic init #graph.fill<1.0>>})
    -> (tensor<f32> {graph.loss}) {
  %y = graph.batch_norm %x weight %w running %mean, %variance synchronized : (tensor<1x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<1x3xf32>
  %loss = graph.sum %y dims = [0, 1] : (tensor<1x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
