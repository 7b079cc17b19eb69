// The whole pipeline without the loss: one entry, which takes x alone.
// RUN: mpc-opt %s --compile-to=exec --inference --drop-loss --precision=fp16 | FileCheck %s
// RUN: mpc-opt %s --compile-to=simplify --inference --drop-loss --batch=7 | FileCheck %s --check-prefix=BATCH
// RUN: mpc-opt %s --compile-to=exec --inference | FileCheck %s --check-prefix=MARKS
// RUN: mpc-opt %s --mpc-infer="batch=7" | FileCheck %s --check-prefix=TEXT
// CHECK: exec.entry @forward
// CHECK-NEXT: exec.input "x" : memref<4x3xf32>
// CHECK-NOT: exec.input
// CHECK: exec.output "logits"
// CHECK-NOT: exec.output "loss"
// BATCH: func.func @model(%{{.*}}: tensor<7x3xf32> {graph.input = "x"}
// BATCH-SAME: -> (tensor<7x5xf32> {graph.output = "logits"})
// MARKS: exec.input "label" loss_only : memref<4xi64> classes #graph.classes<count = 5, ignored = -1>
// TEXT: exec.input "label" loss_only : memref<7xi64>
func.func @model(%x: tensor<4x3xf32> {graph.input = "x"}, %label: tensor<4xi64> {graph.input = "label"},
                 %w: tensor<3x5xf32> {graph.parameter = "w", graph.init = #graph.zeros})
    -> (tensor<f32> {graph.loss}, tensor<4x5xf32> {graph.output = "logits"}) {
  %logits = graph.matmul %x, %w : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  %loss = graph.cross_entropy %logits, %label ignore_index = -1 : (tensor<4x5xf32>, tensor<4xi64>) -> tensor<f32>
  return %loss, %logits : tensor<f32>, tensor<4x5xf32>
}
