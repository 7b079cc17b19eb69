// A step that is left out because its norm is not finite keeps the scaler's
// state, but its sums begin anew, or the next step would count them again.
// RUN: mpc-opt %s --compile-to=update --accumulate=2 --clip-norm=1 --clip-nonfinite=error | FileCheck %s
// CHECK-LABEL: func.func @model_step(
// CHECK: %[[U:.*]], %[[INF:.*]] = graph.unscale
// CHECK: %[[SCALE:.*]], %{{.*}}, %{{.*}} = graph.scaler_update
// CHECK: %[[ZERO:.*]] = graph.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK: %[[KEPT:.*]] = graph.select %{{.*}}, %{{.*}}, %[[SCALE]]
// CHECK-NOT: graph.select %{{.*}}, %{{.*}}, %[[ZERO]]
// CHECK: return
// CHECK-SAME: %[[KEPT]]
// CHECK-SAME: %[[ZERO]]
func.func @model(%x: tensor<4xf32> {graph.input = "x"}, %w: tensor<4xf32> {graph.init = #graph.zeros, graph.parameter = "w"}) -> (tensor<f32> {graph.loss})
    attributes {graph.training = #graph.training<loss_scale = #graph.loss_scale<mode = "dynamic">, optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} {
  %0 = graph.mul %x, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %loss = graph.sum %0 dims = [0] : (tensor<4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
