// RUN: mpc-opt %s --mpc-scale-loss --mpc-verify-scale | FileCheck %s
// RUN: mpc-opt %s --mpc-scale-loss="loss-scale=64" | FileCheck %s --check-prefix=STATIC
// RUN: mpc-opt %s --mpc-scale-loss="loss-scale=none" | FileCheck %s --check-prefix=NONE
// RUN: mpc-opt %s --mpc-scale-loss="scale-init=8 scale-growth=4 scale-backoff=0.25 scale-interval=10" | FileCheck %s --check-prefix=INIT
//
// Scaling and unscaling by a power of two changes no bit of a gradient.
// RUN: mpc-opt %s --mpc-scale-loss | graph-eval - --rounded --function=m_step --compare=%s --results=2 --rtol=0 --atol=0

// CHECK-LABEL: func.func @m_step
// CHECK-SAME: %[[SCALE:[a-z0-9]+]]: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale init #graph.fill<1024.0>>}
// CHECK-SAME: %[[TRACKER:[a-z0-9]+]]: tensor<i32> {graph.state = #graph.state<"scaler.growth_tracker" scaler init #graph.zeros>})
// CHECK-SAME: -> (tensor<f32> {graph.loss}, tensor<2xf32> {graph.gradient = "w"}, tensor<i1> {graph.found_inf = "default"}, tensor<i1> {graph.output = "found_inf"}, tensor<f32> {graph.output = "scale"}, tensor<f32> {graph.updates = "scaler.scale"}, tensor<i32> {graph.updates = "scaler.growth_tracker"}, tensor<i1> {graph.output = "scale_at_floor"})
// CHECK: %[[SEED:.*]] = graph.constant {graph.seed}
// CHECK: %[[SCALED:.*]] = graph.scale %[[SEED]], %[[SCALE]]
// CHECK: %[[D:.*]] = graph.broadcast %[[SCALED]]
// CHECK: %[[G:.*]] = graph.mul %[[D]]
// CHECK: %[[U:.*]], %[[INF:.*]] = graph.unscale %[[SCALE]], %[[G]]
// CHECK: %[[NEXT:.*]], %[[T:.*]], %[[FLOOR:.*]] = graph.scaler_update %[[SCALE]], %[[TRACKER]], %[[INF]] growth = 2.000000e+00 backoff = 5.000000e-01 interval = 2000 {floor = 6.103515625E-5 : f64}
// CHECK: return %{{.*}}, %[[U]], %[[INF]], %[[INF]], %[[SCALE]], %[[NEXT]], %[[T]], %[[FLOOR]]
// STATIC: init #graph.fill<64.0>
// STATIC-SAME: loss_scale = <mode = "static", init = 64.0>
// STATIC-NOT: graph.scaler_update
// INIT: init #graph.fill<8.0>
// INIT-SAME: growth = 4.0, backoff = 0.25, interval = 10
// NONE-NOT: graph.scale
// NONE-NOT: graph.unscale
// NONE-NOT: graph.state
func.func @m_step(%x: tensor<2xf32> {graph.input = "x"}, %w: tensor<2xf32> {graph.parameter = "w"})
    -> (tensor<f32> {graph.loss}, tensor<2xf32> {graph.gradient = "w"})
    attributes {graph.entry = "step", graph.training = #graph.training<loss_scale = #graph.loss_scale<mode = "dynamic", init = 1024.0>>} {
  %p = graph.mul %x, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %l = graph.sum %p dims = [0] : (tensor<2xf32>) -> tensor<f32>
  %seed = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  %d = graph.broadcast %seed : (tensor<f32>) -> tensor<2xf32>
  %g = graph.mul %d, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %l, %g : tensor<f32>, tensor<2xf32>
}
