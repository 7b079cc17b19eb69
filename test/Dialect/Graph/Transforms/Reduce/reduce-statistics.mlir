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
