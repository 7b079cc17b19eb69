// Parameter groups: own optimizer, clip, schedule, state and skip.
// RUN: mpc-opt %s --compile-to=update | FileCheck %s
// RUN: mpc-opt %s --compile-to=update --clip-scope=group | FileCheck %s --check-prefix=OWN
// CHECK-LABEL: func.func @m_step
// CHECK-SAME: %[[LR:[a-z0-9]+]]: tensor<f32> {graph.state = #graph.state<"optimizer.lr" learning_rate init #graph.fill<0.1>>}
// CHECK-SAME: {graph.output = "grad_norm"}, tensor<f32> {graph.output = "slow.grad_norm"}
// CHECK-SAME: {graph.output = "step"}
// CHECK-SAME: {graph.updates = "slow.step"}
// CHECK-SAME: {graph.output = "lr"}, tensor<f32> {graph.output = "slow.lr"}

// One unscale per group, and the norm of all is that of the groups' norms.
// CHECK: %[[U1:.*]], %[[INF1:.*]] = graph.unscale
// CHECK: %[[U0:.*]], %[[INF0:.*]] = graph.unscale
// CHECK: %[[N0:.*]] = graph.global_norm %[[U0]]
// CHECK: %[[N1:.*]] = graph.global_norm %[[U1]]
// CHECK: %[[ALL:.*]] = graph.global_norm %[[N0]], %[[N1]]
// The group has a clip of its own, and skips for itself; the default group is
// bounded by all gradients, and skips for all.
// CHECK: %[[ANY:.*]] = graph.select %{{.*}}, %{{.*}}, %{{.*}} : (tensor<i1>, tensor<i1>, tensor<i1>)
// CHECK: graph.lr_schedule %{{.*}} step %{{.*}} by <kind = "step", period = 5>
// CHECK: graph.adamw
// CHECK: graph.select %[[ANY]]
// CHECK: graph.sgd
// CHECK: graph.select %[[INF1]]

// OWN: graph.adamw
// OWN: graph.select %[[INF:found_inf[_0-9]*]], %{{.*}} : (tensor<i1>, tensor<4xf32>, tensor<4xf32>)
// OWN: graph.sgd
// OWN-NOT: graph.select %[[INF]],
// OWN: return
func.func @m(%x: tensor<4xf32> {graph.input = "x"},
    %w: tensor<4xf32> {graph.parameter = "head", graph.init = #graph.zeros},
    %v: tensor<4xf32> {graph.parameter = "tail", graph.init = #graph.zeros})
    -> (tensor<f32> {graph.loss})
    attributes {graph.training = #graph.training<
      loss_scale = #graph.loss_scale<mode = "dynamic">,
      optimizer = #graph.optimizer<name = "adamw", lr = 0.1>,
      groups = [#graph.parameter_group<name = "slow", pattern = "t.*", optimizer = #graph.optimizer<name = "sgd", lr = 0.5>,
                                       clip = #graph.clip<value = 2.0>, schedule = #graph.schedule<kind = "step", period = 5>>],
      clip = #graph.clip<norm = 1.0>>} {
  %0 = graph.add %w, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.mul %0, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %loss = graph.sum %1 dims = [0] : (tensor<4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
