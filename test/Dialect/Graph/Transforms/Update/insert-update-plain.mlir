// Without a scaler nothing can be skipped: no select, no skip counters. A static
// scale is state without an update, and the skip stays.
// RUN: mpc-opt %s --mpc-insert-update --mpc-verify-update | FileCheck %s
// RUN: mpc-opt %s --mpc-scale-loss="loss-scale=8" --mpc-insert-update --mpc-verify-update | FileCheck %s --check-prefix=STATIC
// CHECK-LABEL: func.func @m_step
// CHECK-NOT: #graph.state<"skipped"
// CHECK-NOT: graph.select
// CHECK: graph.cast %{{.*}} because "type of the master weights" : (tensor<f32>) -> tensor<f64>
// CHECK: graph.adamw
// CHECK-NOT: graph.select
// STATIC-LABEL: func.func @m_step
// STATIC-SAME: #graph.state<"scaler.scale" loss_scale init
// STATIC-NOT: #graph.state<"scaler.growth_tracker"
// STATIC-NOT: graph.updates = "scaler.scale"
// STATIC-NOT: graph.scaler_update
// STATIC: graph.select
func.func @m_step(%w: tensor<2xf64> {graph.parameter = "w"}) -> (tensor<f64> {graph.loss}, tensor<2xf64> {graph.gradient = "w"})
    attributes {graph.entry = "step", graph.training = #graph.training<optimizer = #graph.optimizer<name = "adamw", lr = 0.1>>} {
  %l = graph.sum %w dims = [0] : (tensor<2xf64>) -> tensor<f64>
  %seed = graph.constant {graph.seed} dense<1.0> : tensor<f64>
  %g = graph.broadcast %seed : (tensor<f64>) -> tensor<2xf64>
  return %l, %g : tensor<f64>, tensor<2xf64>
}
