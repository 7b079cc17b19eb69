// Parameters in 16 bits: widened where they come in, rounded where they go out,
// and a skipped step selects the old bits.
// RUN: mpc-opt %s --mpc-scale-loss --mpc-insert-update="master=bf16" --mpc-narrow-masters --mpc-verify-update | FileCheck %s --check-prefixes=CHECK,BF16
// RUN: mpc-opt %s --mpc-scale-loss --mpc-insert-update="master=f16" --mpc-narrow-masters --mpc-verify-update | FileCheck %s --check-prefix=F16
// RUN: mpc-opt %s --mpc-scale-loss --mpc-insert-update="master=bf16_kahan" --mpc-narrow-masters --mpc-verify-update | FileCheck %s --check-prefixes=CHECK,KAHAN
// RUN: mpc-opt %s --mpc-scale-loss --mpc-insert-update="master=bf16_stochastic" --mpc-narrow-masters --mpc-verify-update | FileCheck %s --check-prefixes=CHECK,CHANCE
// RUN: mpc-opt %s --mpc-scale-loss --mpc-insert-update="master=f32" --mpc-narrow-masters --mpc-verify-update | FileCheck %s --check-prefix=F32

// What the forward casts to 16 bits is the parameter itself, and there is no copy.
// RUN: mpc-opt %s --mpc-scale-loss --mpc-insert-update="master=bf16" --mpc-narrow-masters --mpc-fold-casts="rounding=fused" | FileCheck %s --check-prefix=FOLDED
// FOLDED-NOT: weight_copy
// FOLDED-LABEL: func.func @m_step
// FOLDED-SAME: %[[X:[a-z0-9]+]]: tensor<2xbf16> {graph.input = "x"}, %[[W:[a-z0-9]+]]: tensor<2xbf16>
// FOLDED: graph.mul %[[X]], %[[W]] : (tensor<2xbf16>, tensor<2xbf16>) -> tensor<2xbf16>

// CHECK-LABEL: func.func @m_step
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<2xbf16> {graph.parameter = "w"}
// F16-LABEL: func.func @m_step
// F16-SAME: tensor<2xf16> {graph.parameter = "w"}
// F32-LABEL: func.func @m_step
// F32-SAME: tensor<2xf32> {graph.parameter = "w"}
// KAHAN-SAME: %[[C:[a-z0-9]+]]: tensor<2xbf16> {graph.state = #graph.state<"w.compensation" compensation of "w" init #graph.zeros>}
// CHANCE-SAME: %[[STEP:[a-z0-9]+]]: tensor<i32> {graph.state = #graph.state<"step" step_counter init #graph.zeros>}
// CHANCE-SAME: %[[SEED:[a-z0-9]+]]: tensor<i32> {graph.state = #graph.state<"optimizer.rounding_seed" hyperparameter init #graph.zeros>}
// CHECK: %[[WIDE:.*]] = graph.cast %[[W]] because "master weights are kept in 16 bits" : (tensor<2xbf16>) -> tensor<2xf32>
// CHECK: %{{.*}}, %[[INF:.*]] = graph.unscale
// CHANCE: %[[COUNT:.*]] = graph.add %[[STEP]]
// CHECK: %[[NEXT:.*]] = graph.sgd %[[WIDE]], %{{.*}} : (tensor<2xf32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
// BF16: %[[R:.*]] = graph.cast %[[NEXT]] because "master weights are kept in 16 bits" : (tensor<2xf32>) -> tensor<2xbf16>
// BF16: graph.select %[[INF]], %[[W]], %[[R]] : (tensor<i1>, tensor<2xbf16>, tensor<2xbf16>) -> tensor<2xbf16>
// F16: graph.cast %{{.*}} because "master weights are kept in 16 bits" : (tensor<2xf32>) -> tensor<2xf16>
// KAHAN: %[[R:.*]], %[[NC:.*]] = graph.kahan_round %[[W]], %[[NEXT]], %[[C]] : (tensor<2xbf16>, tensor<2xf32>, tensor<2xbf16>) -> (tensor<2xbf16>, tensor<2xbf16>)
// KAHAN: graph.select %[[INF]], %[[W]], %[[R]]
// KAHAN: graph.select %[[INF]], %[[C]], %[[NC]]
// CHANCE: %[[R:.*]] = graph.stochastic_round %[[NEXT]] step %[[COUNT]] seed %[[SEED]] stream = 0 : (tensor<2xf32>, tensor<i32>, tensor<i32>) -> tensor<2xbf16>
// CHANCE: graph.select %[[INF]], %[[W]], %[[R]]
func.func @m_step(%x: tensor<2xbf16> {graph.input = "x"}, %w: tensor<2xf32> {graph.parameter = "w"})
    -> (tensor<f32> {graph.loss}, tensor<2xf32> {graph.gradient = "w"})
    attributes {graph.entry = "step", graph.training = #graph.training<precision = "bf16", loss_scale = #graph.loss_scale<mode = "dynamic">, optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} {
  %narrow = graph.cast %w because "mul runs in bf16" : (tensor<2xf32>) -> tensor<2xbf16>
  %y = graph.mul %x, %narrow : (tensor<2xbf16>, tensor<2xbf16>) -> tensor<2xbf16>
  %wide = graph.cast %y because "sum runs in f32" : (tensor<2xbf16>) -> tensor<2xf32>
  %loss = graph.sum %wide dims = [0] : (tensor<2xf32>) -> tensor<f32>
  %seed = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  %g = graph.mul %wide, %seed : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return %loss, %g : tensor<f32>, tensor<2xf32>
}
