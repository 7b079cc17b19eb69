// A skipped step keeps running statistics, unless the settings say otherwise; in
// the entry forward they are what is read.
// RUN: mpc-opt %s --compile-to=update --loss-scale=dynamic | FileCheck %s
// RUN: mpc-opt %s --compile-to=update --loss-scale=dynamic --skipped-statistics=update | FileCheck %s --check-prefix=MOVES
// RUN: mpc-opt %s --compile-to=update --loss-scale=dynamic --skipped-statistics=update --clip-nonfinite=error | FileCheck %s --check-prefix=ERROR
// CHECK-LABEL: func.func @net(
// CHECK: graph.batch_norm %{{.*}} running %{{.*}}, %{{.*}} momentum = 2.500000e-01 population inference :
// CHECK-LABEL: func.func @net_step(
// CHECK-SAME: %[[M:[a-z0-9]+]]: tensor<3xf32> {graph.state = #graph.state<"mean"
// CHECK: %[[NEXT:.*]] = graph.moving_average %[[M]],
// CHECK: %{{.*}}, %[[INF:.*]] = graph.unscale
// CHECK: %[[KEPT:.*]] = graph.select %[[INF]], %[[M]], %[[NEXT]] : (tensor<i1>, tensor<3xf32>, tensor<3xf32>)
// CHECK: return {{.*}}%[[KEPT]],
// MOVES-LABEL: func.func @net_step(
// MOVES-SAME: %[[M:[a-z0-9]+]]: tensor<3xf32> {graph.state = #graph.state<"mean"
// MOVES: %[[NEXT:.*]] = graph.moving_average %[[M]],
// MOVES-NOT: graph.select %{{.*}}, %[[M]]
// MOVES: return {{.*}}%[[NEXT]],
// ERROR-LABEL: func.func @net_step(
// ERROR-SAME: %[[M:[a-z0-9]+]]: tensor<3xf32> {graph.state = #graph.state<"mean"
// ERROR: %[[NEXT:.*]] = graph.moving_average %[[M]],
// ERROR: graph.select %{{.*}}, %[[M]], %[[NEXT]]
func.func @net(%x: tensor<4x3xf32> {graph.input = "x"},
    %w: tensor<3xf32> {graph.parameter = "w", graph.init = #graph.fill<1.0>},
    %mean: tensor<3xf32> {graph.state = #graph.state<"mean" running_statistic init #graph.zeros>},
    %variance: tensor<3xf32> {graph.state = #graph.state<"variance" running_statistic init #graph.fill<1.0>>})
    -> (tensor<f32> {graph.loss}) attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} {
  %y = graph.batch_norm %x weight %w running %mean, %variance momentum = 0.25 population : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %loss = graph.sum %y dims = [0, 1] : (tensor<4x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
