// RUN: mpc-opt %s --mpc-scale-loss --mpc-insert-update --mpc-verify-update | FileCheck %s
// RUN: mpc-opt %s --mpc-scale-loss --mpc-insert-update="optimizer=sgd momentum=0.5 nesterov=true lr=2 weight-decay=0.25 clip-norm=0" --mpc-verify-update | FileCheck %s --check-prefix=SGD
// RUN: mpc-opt %s --mpc-scale-loss --mpc-insert-update="optimizer=sgd lr=2" --mpc-verify-update | FileCheck %s --check-prefix=PLAIN

// CHECK-LABEL: func.func @m_step
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2xf32> {graph.input = "x"}
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<2xf32> {graph.parameter = "w"}
// CHECK-SAME: %[[SCALE:[a-z0-9]+]]: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale init #graph.fill<65536.0>>}
// CHECK-SAME: %[[TRACKER:[a-z0-9]+]]: tensor<i32> {graph.state = #graph.state<"scaler.growth_tracker" scaler init #graph.zeros>}
// CHECK-SAME: %[[STEP:[a-z0-9]+]]: tensor<i32> {graph.state = #graph.state<"step" step_counter init #graph.zeros>}
// CHECK-SAME: %[[SKIPPED:[a-z0-9]+]]: tensor<i32> {graph.state = #graph.state<"skipped" counter init #graph.zeros>}
// CHECK-SAME: %[[CONSECUTIVE:[a-z0-9]+]]: tensor<i32> {graph.state = #graph.state<"consecutive_skips" counter init #graph.zeros>}
// CHECK-SAME: %[[LR:[a-z0-9]+]]: tensor<f32> {graph.state = #graph.state<"optimizer.lr" learning_rate init #graph.fill<0.1>>}
// CHECK-SAME: %[[M:[a-z0-9]+]]: tensor<2xf32> {graph.state = #graph.state<"w.exp_avg" moment of "w" init #graph.zeros>}
// CHECK-SAME: %[[V:[a-z0-9]+]]: tensor<2xf32> {graph.state = #graph.state<"w.exp_avg_sq" moment of "w" init #graph.zeros>}
// CHECK-SAME: -> (tensor<f32> {graph.loss}, tensor<i1> {graph.output = "found_inf"}, tensor<f32> {graph.output = "scale"},
// CHECK-SAME: tensor<f32> {graph.updates = "scaler.scale"}, tensor<i32> {graph.updates = "scaler.growth_tracker"}, tensor<i1> {graph.output = "scale_at_floor"}, tensor<f32> {graph.output = "grad_norm"},
// CHECK-SAME: tensor<i32> {graph.updates = "step"}, tensor<i32> {graph.output = "step"},
// CHECK-SAME: tensor<i32> {graph.updates = "skipped"}, tensor<i32> {graph.updates = "consecutive_skips"}, tensor<i32> {graph.output = "consecutive_skips"},
// CHECK-SAME: tensor<f32> {graph.output = "lr"},
// CHECK-SAME: tensor<2xf32> {graph.updates = "w"}, tensor<2xf32> {graph.updates = "w.exp_avg"}, tensor<2xf32> {graph.updates = "w.exp_avg_sq"})
// CHECK: %[[U:.*]], %[[INF:.*]] = graph.unscale %[[SCALE]]
// CHECK: graph.scaler_update %[[SCALE]], %[[TRACKER]], %[[INF]]
// CHECK: %[[NORM:.*]] = graph.global_norm %[[U]]
// CHECK: %[[SUM:.*]] = graph.add %[[NORM]]
// CHECK: %[[RATIO:.*]] = graph.div %{{.*}}, %[[SUM]]
// CHECK: %[[COEF:.*]] = graph.minimum %[[RATIO]]
// CHECK: %[[CLIPPED:.*]] = graph.mul %[[U]], %[[COEF]]
// CHECK: %[[NEXT_STEP:.*]] = graph.add %[[STEP]]
// CHECK: graph.select %[[INF]], %[[STEP]], %[[NEXT_STEP]]
// CHECK: %[[NW:.*]], %[[NM:.*]], %[[NV:.*]] = graph.adamw %[[W]], %[[CLIPPED]], %[[M]], %[[V]] lr %[[LR]] step %[[NEXT_STEP]]
// CHECK: graph.select %[[INF]], %[[W]], %[[NW]]
// CHECK: graph.select %[[INF]], %[[M]], %[[NM]]
// CHECK: graph.select %[[INF]], %[[V]], %[[NV]]

// SGD-LABEL: func.func @m_step
// SGD-SAME: graph.state = #graph.state<"w.momentum_buffer" moment of "w" init
// SGD-NOT: graph.minimum
// SGD: graph.sgd %{{.*}}, %{{.*}} momentum_buffer %{{.*}} lr %{{.*}} {momentum = 5.000000e-01 : f64, nesterov, weight_decay = 2.500000e-01 : f64}
// PLAIN-NOT: moment of
// PLAIN: graph.sgd %{{.*}}, %{{.*}} lr %{{.*}} :
func.func @m_step(%x: tensor<2xf32> {graph.input = "x"}, %w: tensor<2xf32> {graph.parameter = "w"})
    -> (tensor<f32> {graph.loss}, tensor<2xf32> {graph.gradient = "w"})
    attributes {graph.entry = "step", graph.training = #graph.training<loss_scale = #graph.loss_scale<mode = "dynamic">, optimizer = #graph.optimizer<name = "adamw", lr = 0.1>, clip = #graph.clip<norm = 1.0>>} {
  %l = graph.sum %w dims = [0] : (tensor<2xf32>) -> tensor<f32>
  %seed = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  %g = graph.mul %x, %seed : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return %l, %g : tensor<f32>, tensor<2xf32>
}
