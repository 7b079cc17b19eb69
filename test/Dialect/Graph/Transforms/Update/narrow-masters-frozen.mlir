// A frozen parameter is kept in 16 bits like the others, in every entry, and has
// neither next value nor compensation. It keeps its number among the streams of
// chance, so that freezing one parameter leaves the bits of the others alone.
// RUN: sed s/MASTER/bf16_kahan/ %s | mpc-opt --mpc-differentiate --mpc-insert-update --mpc-narrow-masters --mpc-verify-update | FileCheck %s
// RUN: sed s/MASTER/bf16_stochastic/ %s | mpc-opt --mpc-differentiate --mpc-insert-update --mpc-narrow-masters --mpc-verify-update | FileCheck %s --check-prefix=CHANCE

// CHECK-LABEL: func.func @m(
// CHECK-SAME: tensor<2xbf16> {graph.frozen, graph.parameter = "v"}
// CHECK-SAME: tensor<2xbf16> {graph.parameter = "w"}
// CHECK-LABEL: func.func @m_step(
// CHECK-SAME: %[[V:[a-z0-9]+]]: tensor<2xbf16> {graph.frozen, graph.parameter = "v"}
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<2xbf16> {graph.parameter = "w"}
// CHECK-SAME: graph.state = #graph.state<"w.compensation" compensation of "w"
// CHECK-NOT: graph.updates = "v"
// CHECK-NOT: v.compensation
// CHECK: graph.cast %[[V]] because "master weights are kept in 16 bits" : (tensor<2xbf16>) -> tensor<2xf32>
// CHECK: graph.kahan_round %[[W]]
// CHECK-NOT: graph.kahan_round
// CHANCE-LABEL: func.func @m_step(
// CHANCE: graph.stochastic_round {{.*}} stream = 1 :
// CHANCE-NOT: graph.stochastic_round
func.func @m(%v: tensor<2xf32> {graph.parameter = "v", graph.frozen}, %w: tensor<2xf32> {graph.parameter = "w"}, %x: tensor<2xf32> {graph.input = "x"})
    -> (tensor<f32> {graph.loss})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.5, master = "MASTER">>} {
  %a = graph.mul %v, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %b = graph.mul %a, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %loss = graph.sum %b dims = [0] : (tensor<2xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
