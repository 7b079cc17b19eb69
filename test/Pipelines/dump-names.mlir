// In a dump, values have the names that they have in the model, to the last
// stage of graphs, and each argument has a line: so a diff of two dumps shows
// what the pass has changed.
// RUN: rm -rf %t && mpc-opt %s --compile-to=group --precision=fp16 --dump-dir=%t -o /dev/null
// RUN: FileCheck %s --check-prefix=CAST < %t/02-autocast-mpc-autocast.mlir
// CAST: // model: dump-names.mlir
// CAST-NEXT: // stage: autocast
// CAST-NEXT: // pass: mpc-autocast{{{.*}}profile-overflow=0}
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
// Constants and losses, which name themselves elsewhere, are no exception; what
// a pass makes is called after the value that it is for.
// CAST: %h.cast = graph.cast %x because
// CAST: %h.cast_0 = graph.cast %layer.0.w___x because
// CAST: %two = graph.constant dense<2.000000e+00>
// CAST: %p.cast = graph.cast %two because
// CAST: %h = graph.matmul %h.cast, %h.cast_0 :
// One location may be that of several values.
// CAST: %p = graph.mul %h, %p.cast :
// CAST: %q = graph.mul %p, %p :
// What has no location has no name.
// CAST: %[[NONE:[0-9]+]] = graph.add %q, %{{.*}} :
// CAST: %n:2 = graph.custom @halves(%[[NONE]])
// CAST: %both = graph.concat %n#1, %n#0
// CAST: %total = graph.mse %{{.*}}, %{{.*}} :
//
// The backward of an op is called after its result, and what an implementation
// yields as there.
// RUN: FileCheck %s --check-prefix=STEP < %t/04-autodiff-mpc-differentiate.mlir
// STEP: func.func @"m(%x, \22_step"(
// STEP: %h = graph.matmul
// STEP: %top = graph.slice
// STEP: %bottom = graph.slice
// STEP: %both = graph.concat %bottom, %top
// STEP: %total.grad.cst = graph.constant {graph.seed}
// STEP: %h.grad.matmul = graph.matmul %h.cast, %{{.*}} transpose_lhs
//
// State that the model does not spell is called by its mark.
// RUN: FileCheck %s --check-prefix=UPDATE < %t/07-update-mpc-insert-update.mlir
// UPDATE: {{^}}      %scaler.scale: tensor<f32> {graph.init
// UPDATE: {{^}}      %layer.0.w___x.f16: tensor<8x2xf16> {graph.of
// UPDATE: graph.unscale %scaler.scale,
//
// Groups are called as what they make, and their arguments as what they take.
// RUN: cat %t/*-group-mpc-group.mlir | FileCheck %s --check-prefix=GROUP
// GROUP: %h = graph.group <library> %h.cast, %layer.0.w___x.f16
// GROUP-NEXT: ^bb0(%h.cast_0: tensor<4x8xf16>, %layer.0.w___x.f16_0: tensor<8x2xf16>):
// GROUP-NEXT: %h_0 = graph.matmul %h.cast_0, %layer.0.w___x.f16_0
//
// A new op in the middle changes its own line and the reader's.
// RUN: not bash -c 'diff %t/05-scale-mpc-scale-loss.mlir %t/06-reduce-mpc-insert-all-reduce.mlir' > %t/changes
// RUN: grep -v '^[<>] // ' %t/changes | FileCheck %s --check-prefix=DIFF --implicit-check-not='{{^[<>]}}'
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
// UNNAMED: %0 = graph.matmul %x,

func.func private @halves(%v: tensor<4x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %top = graph.slice %v offsets = [0, 0] sizes = [2, 2] : (tensor<4x2xf32>) -> tensor<2x2xf32>
  %bottom = graph.slice %v offsets = [2, 0] sizes = [2, 2] : (tensor<4x2xf32>) -> tensor<2x2xf32>
  return %top, %bottom : tensor<2x2xf32>, tensor<2x2xf32>
}
func.func @"m(%x, \22"(%x: tensor<4x8xf32> {graph.input = "x"}, %arg1: tensor<8x2xf32> {graph.parameter = "layer.0.w(,%x", graph.init = #graph.normal<0.0, 0.1>},
                       %2: tensor<2xf32> {graph.parameter = "0b", graph.init = #graph.zeros})
    -> (tensor<f32> {graph.loss}, tensor<4x2xf32> {graph.output = "y"})
    attributes {graph.training = #graph.training<loss_scale = #graph.loss_scale<mode = "dynamic">, optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} {
  %two = graph.constant dense<2.0> : tensor<f32>
  %h = graph.matmul %x, %arg1 : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %p = graph.mul %h, %two : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xf32> loc("shared")
  %q = graph.mul %p, %p : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32> loc("shared")
  %r = graph.add %q, %2 : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32> loc(unknown)
  %n:2 = graph.custom @halves(%r) policy = "Allow" : (tensor<4x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>)
  %both = graph.concat %n#1, %n#0 dim = 0 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  %total = graph.mse %both, %p : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<f32>
  return %total, %both : tensor<f32>, tensor<4x2xf32>
}
