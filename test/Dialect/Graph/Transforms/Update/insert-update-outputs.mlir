// What a step returns of the model: all that it has, but for outputs whose whole
// name matches. What only they needed goes, too; forward has them still.
// RUN: mpc-opt %s --compile-to=simplify --drop-outputs='logit|wide' | FileCheck %s
// RUN: mpc-opt %s --compile-to=simplify --drop-outputs='.*' | FileCheck %s --check-prefix=ALL
// RUN: mpc-opt %s --compile-to=simplify --drop-outputs='wide' --accumulate=2 | FileCheck %s --check-prefix=MICRO

// CHECK-LABEL: func.func @m(
// CHECK-SAME: {graph.output = "logits"}
// CHECK-SAME: {graph.output = "wide"}
// CHECK: graph.exp
// CHECK-LABEL: func.func @m_step(
// CHECK-SAME: {graph.loss}
// CHECK-SAME: {graph.output = "logits"}
// CHECK-NOT: graph.output = "wide"
// CHECK-NOT: graph.exp

// Numbers of the step stay.
// ALL-LABEL: func.func @m_step(
// ALL-NOT: graph.output = "logits"
// ALL-SAME: tensor<f32> {graph.output = "grad_norm"}

// MICRO-LABEL: func.func @m_accumulate(
// MICRO-SAME: {graph.output = "logits"}
// MICRO-NOT: graph.output = "wide"
// MICRO-NOT: graph.exp
// MICRO-LABEL: func.func @m_step(
// MICRO-SAME: {graph.output = "logits"}
// MICRO-NOT: graph.output = "wide"
func.func @m(%x: tensor<8x4xf32> {graph.input = "x"},
    %w: tensor<4x2xf32> {graph.parameter = "w", graph.init = #graph.zeros})
    -> (tensor<f32> {graph.loss}, tensor<8x2xf32> {graph.output = "logits"}, tensor<8x2xf32> {graph.output = "wide"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1>, clip = #graph.clip<norm = 1.0>>} {
  %0 = graph.matmul %x, %w : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  %1 = graph.exp %0 : tensor<8x2xf32>
  %2 = graph.mul %0, %0 : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
  %loss = graph.mean %2 dims = [0, 1] : (tensor<8x2xf32>) -> tensor<f32>
  return %loss, %0, %1 : tensor<f32>, tensor<8x2xf32>, tensor<8x2xf32>
}
