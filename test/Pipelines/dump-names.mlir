// In a dump, values have the names that they have in the model, to the last
// stage of graphs, and each argument has a line: so a diff of two dumps shows
// what the pass has changed.
// RUN: rm -rf %t && mpc-opt %s --compile-to=group --precision=fp16 --dump-dir=%t -o /dev/null
// RUN: FileCheck %s --check-prefix=CAST < %t/02-autocast-mpc-autocast.mlir
// CAST: // model: dump-names.mlir
// CAST-NEXT: // stage: autocast
// CAST-NEXT: // pass: mpc-autocast{{[{]([a-z-]+=[^= ]+ ?)+[}]$}}
// CAST-NEXT: module {
// CAST: func.func @"m(%x, \22"(
// CAST-NEXT: {{^}}      %x: tensor<4x8xf32> {graph.input = "x"},
// A name that only counts gives way to the mark.
// CAST-NEXT: {{^}}      %layer.0.w___x: tensor<8x2xf32> {graph.init = #graph.normal<0.0, 0.1>, graph.parameter = "layer.0.w(,%x"},
// CAST-NEXT: {{^}}      %_0b: tensor<2xf32> {graph.init = #graph.zeros, graph.parameter = "0b"}
// CAST-NEXT: {{^}}  ) -> (
// CAST-NEXT: {{^}}      tensor<f32> {graph.loss},
// CAST-NEXT: {{^}}      tensor<4x2xf32> {graph.output = "y"}
// CAST-NEXT: {{^}}  ) attributes {
// Constants and losses, which name themselves elsewhere, are no exception, nor
// are numbers; what a pass makes is called after the value that it is for, and
// takes no name of the model away.
// CAST: %h.cast = graph.cast %x because
// CAST: %h.cast_0 = graph.cast %layer.0.w___x because
// CAST: %p.cast = graph.constant dense<2.000000e+00>
// CAST: %p.cast_0 = graph.cast %p.cast because
// CAST: %h = graph.matmul %h.cast, %h.cast_0 :
// One location may be that of several values.
// CAST: %p = graph.mul %h, %p.cast_0 :
// CAST: %q = graph.mul %p, %p :
// What has no location is called by its op.
// CAST: %add = graph.add %q, %cast :
// CAST: %n:2 = graph.custom @halves(%add)
// CAST: %3 = graph.concat %n#1, %n#0
// CAST: %total = graph.mse %{{.*}}, %{{.*}} :
//
// The backward of an op is called after its result, and what an implementation
// yields as there, or after the result of the call.
// RUN: FileCheck %s --check-prefix=STEP < %t/04-autodiff-mpc-differentiate.mlir
// STEP: func.func @"m(%x, \22_step"(
// STEP: %h = graph.matmul
// STEP: %n.slice = graph.slice
// STEP: %bottom = graph.slice
// STEP: %3 = graph.concat %bottom, %n.slice
// STEP: %total.grad.cst = graph.constant {graph.seed}
// STEP: %_3.grad.slice = graph.slice
// STEP-NOT: %{{[0-9]+}} =
// STEP: %h.grad.matmul = graph.matmul %h.cast, %{{.*}} transpose_lhs
//
// What has no location is called after what it is returned as, and what leads
// there alone. A constant has the name that its op gives it.
// STEP: %_0b.grad = graph.cast %_0b.sum
//
// State that the model does not spell is called by its mark.
// RUN: FileCheck %s --check-prefix=UPDATE < %t/07-update-mpc-insert-update.mlir
// UPDATE: func.func @"m(%x, \22_init"(
// UPDATE: %layer.0.w___x.f16 = graph.cast %layer.0.w___x because
// UPDATE: {{^}}      %scaler.scale: tensor<f32> {graph.state
// UPDATE: {{^}}      %layer.0.w___x.f16: tensor<8x2xf16> {graph.state
// UPDATE: %layer.0.w___x.unscaled, %_0b.unscaled, %found_inf = graph.unscale %scaler.scale,
// UPDATE-NEXT: %scaler.scale.next, %scaler.growth_tracker.next, %scale_at_floor = graph.scaler_update
// UPDATE-NEXT: %grad_norm = graph.global_norm %layer.0.w___x.unscaled, %_0b.unscaled
// UPDATE: %step.cst = graph.constant dense<1>
// UPDATE: %step.next = graph.select %found_inf, %step, %step.add
// UPDATE: %layer.0.w___x.next_parameter = graph.sgd %layer.0.w___x, %layer.0.w___x.unscaled
// UPDATE-NEXT: %layer.0.w___x.next = graph.select %found_inf, %layer.0.w___x, %layer.0.w___x.next_parameter
// UPDATE: %layer.0.w___x.f16.next = graph.cast %layer.0.w___x.next
//
// Groups are called as what they make, and their arguments as what they take.
// RUN: cat %t/*-group-mpc-group.mlir | FileCheck %s --check-prefix=GROUP
// GROUP: %h = graph.group <library> %h.cast, %layer.0.w___x.f16
// GROUP-NEXT: ^bb0(%h.cast_0: tensor<4x8xf16>, %layer.0.w___x.f16_0: tensor<8x2xf16>):
// GROUP-NEXT: %h_0 = graph.matmul %h.cast_0, %layer.0.w___x.f16_0
// GROUP: %3 = graph.group <move>
// GROUP-NEXT: ^bb0(%bottom_0: tensor<2x2xf16>, %n.slice_0: tensor<2x2xf16>):
// GROUP-NEXT: %_3 = graph.concat %bottom_0, %n.slice_0
// What is left of an op of the model keeps its name.
// GROUP: %total = graph.group <row>
// GROUP: %total_0 = graph.div
// What leads to several states is called after all of them, as far as they agree.
// GROUP: %scaler.add = graph.add %scaler.growth_tracker_0, %
// GROUP: %layer.0.w___x.sub, %_0b.next, %_0b.f16.next = graph.group
// GROUP: %layer.0.w___x.next, %layer.0.w___x.f16.next = graph.group {{.*}}, %layer.0.w___x.sub,
// GROUP: %layer.0.w___x.next_0 = graph.select
//
// A new op in the middle changes its own line and the reader's.
// RUN: not bash -c 'diff %t/05-scale-mpc-scale-loss.mlir %t/06-reduce-mpc-insert-all-reduce.mlir' > %t/changes
// RUN: grep -v '^[<>] // ' %t/changes | FileCheck %s --check-prefix=DIFF --implicit-check-not='{{^[<>]}}'
// The cast that a gradient ends with moves up.
// DIFF: > %cast_0 = graph.cast %sum
// DIFF: < %cast_0 = graph.cast %sum
// DIFF: < {{.*}} = graph.unscale %scaler.scale,
// DIFF: > {{.*}} = graph.all_reduce
// DIFF-NEXT: > {{.*}} = graph.unscale %scaler.scale,
//
// From a dump on, the stages do what they would have done at once.
// RUN: mpc-opt %t/04-autodiff-mpc-differentiate.mlir --compile-from=autodiff --compile-to=group -o %t/from.mlir
// RUN: mpc-opt %s --compile-to=group --precision=fp16 | diff - %t/from.mlir
//
// A dump says nothing about the module: with one, all is as without.
// RUN: mpc-opt %s --compile-to=exec --precision=fp16 --mlir-print-debuginfo -o %t/without.mlir
// RUN: mpc-opt %s --compile-to=exec --precision=fp16 --mlir-print-debuginfo --dump-dir=%t/located -o %t/with.mlir
// RUN: diff %t/without.mlir %t/with.mlir
// Names are there with locations, which parse.
// RUN: mpc-opt %t/located/03-autocast-mpc-inline-custom.mlir --mlir-print-debuginfo --compile-from=autocast --compile-to=exec | diff %t/without.mlir -
// RUN: FileCheck %s --check-prefix=LOCATED < %t/located/03-autocast-mpc-inline-custom.mlir
// LOCATED: %h = graph.matmul {{.*}} loc(
//
// Bytecode has no names, and a split input none that belong to a part.
// RUN: mpc-opt %s --emit-bytecode -o %t/m.mlirbc
// RUN: mpc-opt %t/m.mlirbc --compile-to=import --precision=fp16 --dump-dir=%t/bytecode -o /dev/null
// RUN: FileCheck %s --check-prefix=UNNAMED < %t/bytecode/01-import-mpc-apply-options.mlir
// RUN: mpc-opt %s --split-input-file --compile-to=import --precision=fp16 --dump-dir=%t/split -o /dev/null
// UNNAMED: // model: m.mlirbc
// UNNAMED: {{^}}      %x: tensor<4x8xf32> {graph.input = "x"},
// UNNAMED: %matmul = graph.matmul %x,
//
// Where MLIR prints what it does not tell of, here comments on uses, the names
// are its own.
// RUN: mpc-opt %s --compile-to=import --precision=fp16 --mlir-print-value-users --dump-dir=%t/users -o /dev/null
// RUN: FileCheck %s --check-prefix=USERS < %t/users/01-import-mpc-apply-options.mlir
// RUN: mpc-opt %t/users/01-import-mpc-apply-options.mlir -o /dev/null
// USERS: %[[MUL:[0-9]+]] = graph.mul %[[X:[0-9]+]], %[[X]] : {{.*}} // user: %

func.func private @halves(%v: tensor<4x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %top = graph.slice %v offsets = [0, 0] sizes = [2, 2] : (tensor<4x2xf32>) -> tensor<2x2xf32> loc(unknown)
  %bottom = graph.slice %v offsets = [2, 0] sizes = [2, 2] : (tensor<4x2xf32>) -> tensor<2x2xf32>
  return %top, %bottom : tensor<2x2xf32>, tensor<2x2xf32>
}
func.func @"m(%x, \22"(%x: tensor<4x8xf32> {graph.input = "x"}, %arg1: tensor<8x2xf32> {graph.parameter = "layer.0.w(,%x", graph.init = #graph.normal<0.0, 0.1>},
                       %2: tensor<2xf32> {graph.parameter = "0b", graph.init = #graph.zeros})
    -> (tensor<f32> {graph.loss}, tensor<4x2xf32> {graph.output = "y"})
    attributes {graph.training = #graph.training<loss_scale = #graph.loss_scale<mode = "dynamic">, optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} {
  %p.cast = graph.constant dense<2.0> : tensor<f32>
  %h = graph.matmul %x, %arg1 : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %p = graph.mul %h, %p.cast : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32> loc("shared")
  %q = graph.mul %p, %p : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32> loc("shared")
  %r = graph.add %q, %2 : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32> loc(unknown)
  %n:2 = graph.custom @halves(%r) policy = "Allow" : (tensor<4x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>)
  %3 = graph.concat %n#1, %n#0 dim = 0 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  %total = graph.mse %3, %p : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<f32>
  return %total, %3 : tensor<f32>, tensor<4x2xf32>
}
