// What running statistics are moved by is summed up beside them: 0.75^3 is what
// three micro-batches leave of the old ones.
// RUN: mpc-opt %s --mpc-differentiate --mpc-track-statistics --mpc-accumulate-gradients --mpc-verify-accumulate | FileCheck %s
// RUN: mpc-opt %s --mpc-differentiate --mpc-track-statistics --mpc-accumulate-gradients --mpc-verify-accumulate --mpc-insert-all-reduce --mpc-verify-reduce | FileCheck %s --check-prefix=REDUCE
// CHECK-LABEL: func.func @net_accumulate(
// CHECK-SAME: %[[M:[a-z0-9]+]]: tensor<3xf32> {graph.state = #graph.state<"mean.sum" accumulator init #graph.zeros>}
// CHECK-SAME: tensor<3xf32> {graph.updates = "mean.sum"}, tensor<3xf32> {graph.updates = "variance.sum"})
// CHECK: %[[MEAN:.*]], %{{.*}} = graph.channel_moments
// CHECK: %[[S:.*]] = graph.moving_average %[[M]], %[[MEAN]]
// CHECK: return {{.*}} %[[S]], %{{[0-9a-z]+}} :
// CHECK-LABEL: func.func @net_step(
// CHECK-SAME: %[[R:[a-z0-9]+]]: tensor<3xf32> {graph.state = #graph.state<"mean" running_statistic init #graph.zeros>}
// CHECK-SAME: %[[M:[a-z0-9]+]]: tensor<3xf32> {graph.state = #graph.state<"mean.sum" accumulator init #graph.zeros>}
// CHECK: %[[S:.*]] = graph.moving_average %[[M]], %{{.*}} momentum = 2.500000e-01
// CHECK: %[[KEPT:.*]] = graph.constant dense<4.218750e-01>
// CHECK: %[[OLD:.*]] = graph.mul %[[R]], %[[KEPT]]
// CHECK: %[[NEXT:.*]] = graph.add %[[OLD]], %[[S]]
// CHECK: return %{{.*}}, %{{.*}}, %[[NEXT]],

// Ranks average the sum, in front of the gradients.
// REDUCE-LABEL: func.func @net_accumulate(
// REDUCE-NOT: all_reduce
// REDUCE-LABEL: func.func @net_step(
// REDUCE: %[[S:.*]] = graph.moving_average
// REDUCE: %[[T:.*]] = graph.moving_average
// REDUCE: %[[A:.*]]:2 = graph.all_reduce <average> %[[S]], %[[T]] group = "data" bucket = 0
// REDUCE: graph.add %{{.*}}, %[[A]]#0
// REDUCE: graph.all_reduce <average> %{{.*}} group = "data" bucket = 1 :
func.func @net(%x: tensor<4x3xf32> {graph.input = "x"},
    %w: tensor<3xf32> {graph.parameter = "w"},
    %mean: tensor<3xf32> {graph.state = #graph.state<"mean" running_statistic init #graph.zeros>},
    %variance: tensor<3xf32> {graph.state = #graph.state<"variance" running_statistic init #graph.fill<1.0>>})
    -> (tensor<f32> {graph.loss}) attributes {graph.training = #graph.training<accumulate = 3>} {
  %y = graph.batch_norm %x weight %w running %mean, %variance momentum = 0.25 population : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %loss = graph.sum %y dims = [0, 1] : (tensor<4x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
