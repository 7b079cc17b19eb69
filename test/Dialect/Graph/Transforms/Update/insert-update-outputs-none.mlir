// What the model drops or gives, an option keeps: 'none' stands for no pattern.
// An output that is called so is matched as '(none)'.
// RUN: mpc-opt %s --compile-to=simplify | FileCheck %s --check-prefix=MODEL
// RUN: mpc-opt %s --compile-to=simplify --drop-outputs=none --output-gradients=none | FileCheck %s
// RUN: mpc-opt %s --compile-to=simplify --drop-outputs='(none)' --output-gradients=none | FileCheck %s --check-prefix=NAMED
// RUN: mpc-opt %s --mpc-train="drop-outputs=none output-gradients=none" | FileCheck %s --check-prefix=EXEC

// MODEL-LABEL: func.func @m_step(
// MODEL-NOT: graph.output = "logits"
// MODEL-SAME: {graph.output = "gradient.w"}
// CHECK-LABEL: func.func @m_step(
// CHECK-SAME: {graph.output = "none"}
// CHECK-SAME: {graph.output = "logits"}
// CHECK-NOT: gradient.w
// NAMED-LABEL: func.func @m_step(
// NAMED-NOT: graph.output = "none"
// NAMED-SAME: {graph.output = "logits"}
// EXEC-LABEL: exec.entry @step
// EXEC-DAG: exec.output "none"
// EXEC-DAG: exec.output "logits"
func.func @m(%x: tensor<8x4xf32> {graph.input = "x"},
    %w: tensor<4x2xf32> {graph.parameter = "w", graph.init = #graph.zeros})
    -> (tensor<f32> {graph.loss}, tensor<8x2xf32> {graph.output = "none"}, tensor<8x2xf32> {graph.output = "logits"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1>,
                                                 drop_outputs = "logits|none", output_gradients = "w">} {
  %0 = graph.matmul %x, %w : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  %1 = graph.exp %0 : tensor<8x2xf32>
  %2 = graph.mul %0, %0 : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
  %loss = graph.mean %2 dims = [0, 1] : (tensor<8x2xf32>) -> tensor<f32>
  return %loss, %1, %0 : tensor<f32>, tensor<8x2xf32>, tensor<8x2xf32>
}
