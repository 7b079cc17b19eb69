// RUN: mpc-opt %s --mpc-differentiate --mpc-track-statistics --mpc-verify-autodiff --split-input-file | FileCheck %s

// Behind the seed, and with the unbiased variance: n is 20.
// CHECK-LABEL: func.func @net_step(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x3x5xf32> {graph.input = "x"}, %{{.*}}: tensor<3xf32> {graph.parameter = "w"}
// CHECK-SAME: %[[M:[a-z0-9]+]]: tensor<3xf32> {graph.state = #graph.state<"mean" {{.*}}, %[[V:[a-z0-9]+]]: tensor<3xf32>
// CHECK-SAME: tensor<3xf32> {graph.updates = "mean"}, tensor<3xf32> {graph.updates = "variance"})
// CHECK: graph.batch_norm
// CHECK: graph.seed
// CHECK-NEXT: %[[MEAN:.*]], %[[VARIANCE:.*]] = graph.channel_moments %[[X]] :
// CHECK-NEXT: %[[F:.*]] = graph.constant dense<1.05263162> : tensor<f32>
// CHECK-NEXT: %[[U:.*]] = graph.mul %[[VARIANCE]], %[[F]]
// CHECK-NEXT: %[[NM:.*]] = graph.moving_average %[[M]], %[[MEAN]] momentum = 1.000000e-01 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
// CHECK-NEXT: %[[NV:.*]] = graph.moving_average %[[V]], %[[U]] momentum = 1.000000e-01 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
// CHECK: return {{.*}} %[[NM]], %[[NV]]
func.func @net(%x: tensor<4x3x5xf32> {graph.input = "x"}, %w: tensor<3xf32> {graph.parameter = "w"},
               %mean: tensor<3xf32> {graph.state = #graph.state<"mean" running_statistic init #graph.zeros>},
               %variance: tensor<3xf32> {graph.state = #graph.state<"variance" running_statistic init #graph.fill<1.0>>})
    -> (tensor<f32> {graph.loss}) {
  %y = graph.batch_norm %x weight %w running %mean, %variance : (tensor<4x3x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3x5xf32>
  %loss = graph.sum %y dims = [0, 1, 2] : (tensor<4x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Two batches of a step move the same statistics one after the other; of them
// the variance is that of the population.
// CHECK-LABEL: func.func @net_step(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x3x5xf32> {graph.input = "x"}, %{{.*}}: tensor<3xf32> {graph.parameter = "w"}, %[[M:[a-z0-9]+]]: tensor<3xf32> {graph.state = #graph.state<"mean" {{.*}}, %[[V:[a-z0-9]+]]: tensor<3xf32>
// CHECK: %[[Y:.*]] = graph.batch_norm %[[X]]
// CHECK: graph.seed
// CHECK: %[[M1:.*]], %[[V1:.*]] = graph.channel_moments %[[X]] :
// CHECK-NEXT: %[[NM:.*]] = graph.moving_average %[[M]], %[[M1]] momentum = 2.000000e-01
// CHECK-NEXT: %[[NV:.*]] = graph.moving_average %[[V]], %[[V1]] momentum = 2.000000e-01
// CHECK-NEXT: %[[M2:.*]], %[[V2:.*]] = graph.channel_moments %[[Y]] :
// CHECK-NEXT: %[[NNM:.*]] = graph.moving_average %[[NM]], %[[M2]] momentum = 5.000000e-01
// CHECK-NEXT: %[[NNV:.*]] = graph.moving_average %[[NV]], %[[V2]] momentum = 5.000000e-01
// CHECK: return {{.*}} %[[NNM]], %[[NNV]]
func.func @net(%x: tensor<4x3x5xf32> {graph.input = "x"}, %w: tensor<3xf32> {graph.parameter = "w"},
               %mean: tensor<3xf32> {graph.state = #graph.state<"mean" running_statistic init #graph.zeros>},
               %variance: tensor<3xf32> {graph.state = #graph.state<"variance" running_statistic init #graph.fill<1.0>>})
    -> (tensor<f32> {graph.loss}) {
  %y = graph.batch_norm %x weight %w running %mean, %variance momentum = 0.2 population : (tensor<4x3x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3x5xf32>
  %z = graph.batch_norm %y running %mean, %variance momentum = 0.5 population : (tensor<4x3x5xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3x5xf32>
  %loss = graph.sum %z dims = [0, 1, 2] : (tensor<4x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// What is computed by running statistics leaves them; what has none keeps none.
// CHECK-LABEL: func.func @net_step(
// CHECK-NOT: graph.updates
// CHECK-NOT: moving_average
// CHECK: return
func.func @net(%x: tensor<4x3x5xf32> {graph.input = "x"}, %w: tensor<3xf32> {graph.parameter = "w"},
               %mean: tensor<3xf32> {graph.state = #graph.state<"mean" running_statistic init #graph.zeros>},
               %variance: tensor<3xf32> {graph.state = #graph.state<"variance" running_statistic init #graph.fill<1.0>>})
    -> (tensor<f32> {graph.loss}) {
  %y = graph.batch_norm %x weight %w running %mean, %variance inference : (tensor<4x3x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3x5xf32>
  %z = graph.batch_norm %y : (tensor<4x3x5xf32>) -> tensor<4x3x5xf32>
  %loss = graph.sum %z dims = [0, 1, 2] : (tensor<4x3x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
