// Every stage by its name, from the model or from the stage before.
// RUN: mpc-opt %s --compile-to=import | FileCheck %s --check-prefix=IMPORT
// RUN: mpc-opt %s --compile-to=autocast --precision=fp16 | FileCheck %s --check-prefix=AUTOCAST
// RUN: mpc-opt %s --compile-to=autodiff | FileCheck %s --check-prefix=AUTODIFF
// RUN: mpc-opt %s --compile-to=scale | FileCheck %s --check-prefix=SCALE
// RUN: mpc-opt %s --compile-to=reduce | FileCheck %s --check-prefix=REDUCE
// RUN: mpc-opt %s --compile-to=update | FileCheck %s --check-prefix=UPDATE
// RUN: mpc-opt %s --compile-to=simplify | FileCheck %s --check-prefix=UPDATE
// RUN: mpc-opt %s --compile-to=group | FileCheck %s --check-prefix=GROUP
// RUN: mpc-opt %s --compile-to=exec | FileCheck %s --check-prefix=EXEC
// RUN: mpc-opt %s --mpc-train="precision=fp16" | FileCheck %s --check-prefix=EXEC
// RUN: mpc-opt %s --mpc-infer="precision=fp16" | FileCheck %s --check-prefix=FORWARD
// IMPORT: graph.training = #graph.training<loss_scale
// IMPORT-NOT: graph.entry
// AUTOCAST: graph.cast %{{.*}} because
// AUTOCAST-NOT: graph.entry
// AUTODIFF: graph.gradient = "w"
// AUTODIFF-NOT: graph.unscale
// SCALE: graph.unscale
// SCALE-NOT: graph.all_reduce
// REDUCE: graph.all_reduce
// REDUCE-NOT: graph.updates = "w"
// UPDATE: graph.updates = "w"
// UPDATE-NOT: graph.gradient
// GROUP: graph.group
// EXEC: exec.entry @forward
// EXEC: exec.entry @step
// FORWARD: exec.entry @forward
// FORWARD-NOT: exec.entry @step
//
// Stage by stage is the same as at once.
// RUN: mpc-opt %s --compile-to=simplify --precision=bf16 -o %t.once
// RUN: mpc-opt %s --compile-to=autodiff --precision=bf16 | mpc-opt --compile-from=autodiff --compile-to=reduce | mpc-opt --compile-from=reduce --compile-to=simplify -o %t.stages
// RUN: diff %t.once %t.stages
// RUN: mpc-opt %s --mpc-stage-import="precision=bf16" --mpc-stage-autocast --mpc-stage-autodiff --mpc-stage-scale --mpc-stage-accumulate --mpc-stage-reduce --mpc-stage-update --mpc-stage-simplify -o %t.pipelines
// RUN: diff %t.once %t.pipelines
//
// From the middle, the gate of the stage before looks first: a dump may have
// been edited.
// RUN: mpc-opt %s --compile-to=autodiff | sed 's/graph.gradient = "w"/graph.gradient = "x"/' > %t.edited.mlir
// RUN: not mpc-opt %t.edited.mlir --compile-from=autodiff --compile-to=exec 2>&1 | FileCheck %s --check-prefix=EDITED
// EDITED: error: expected the gradient of a parameter that is trained, but got one of 'x'
//
// Inference stops at the forward entry, which reads the 16-bit weights that
// init computes.
// RUN: mpc-opt %s --compile-to=simplify --inference --precision=fp16 | FileCheck %s --check-prefix=INFER
// INFER: func.func @mlp_init
// INFER-SAME: graph.entry = "init"
// INFER: func.func @mlp(
// INFER-SAME: #graph.state<"w.f16" weight_copy of "w">
// INFER-SAME: graph.entry = "forward"
// INFER-NOT: graph.entry = "step"
func.func @mlp(%x: tensor<8x16xf32> {graph.input = "x"}, %t: tensor<8x8xf32> {graph.input = "target"},
               %w: tensor<16x8xf32> {graph.parameter = "w", graph.init = #graph.normal<0.0, 0.1>})
    -> (tensor<f32> {graph.loss}, tensor<8x8xf32> {graph.output = "y"})
    attributes {graph.training = #graph.training<loss_scale = #graph.loss_scale<mode = "dynamic">, optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} {
  %0 = graph.matmul %x, %w : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %1 = graph.relu %0 : tensor<8x8xf32>
  %2 = graph.mse %1, %t : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<f32>
  return %2, %1 : tensor<f32>, tensor<8x8xf32>
}
