// No name of a dump stands for two values, and none is of two tokens.
// RUN: rm -rf %t && mpc-opt %s --compile-to=update --precision=fp16 --dump-dir=%t -o /dev/null
// RUN: FileCheck %s --check-prefix=CAST < %t/02-autocast-mpc-autocast.mlir
// What a pass has made gives way to the text, however often.
// CAST: %h.cast = graph.cast %x because
// CAST: %h.cast_1 = graph.cast %a because
// CAST: %h.cast_0.cast = graph.cast %b because
// CAST: %h = graph.matmul %h.cast, %h.cast_1 :
// CAST: %h.cast_0 = graph.matmul %h, %h.cast_0.cast :
//
// 'w1' is no part of 'w10': what is for both is for neither.
// RUN: cat %t/*-update-mpc-insert-update.mlir | FileCheck %s --check-prefix=UPDATE
// UPDATE: func.func @m_step(
// UPDATE: {{^}}      %a: tensor<4x4xf32> {{.*}}graph.parameter = "w1"
// UPDATE-NEXT: {{^}}      %b: tensor<4x4xf32> {{.*}}graph.parameter = "w10"
// UPDATE: {{^}}      %w1.f16: tensor<4x4xf16>
// UPDATE: %minimum = graph.minimum
// UPDATE: %w1.mul = graph.mul %w1.unscaled, %minimum
// UPDATE: %w10.mul = graph.mul %w10.unscaled, %minimum
// RUN: sed -e 's/"w10"/"w2"/' -e 's/"w1"/"w10"/' -e 's/"w2"/"w1"/' %s > %t/swapped.mlir
// RUN: mpc-opt %t/swapped.mlir --compile-to=update --precision=fp16 --dump-dir=%t/swapped -o /dev/null
// RUN: cat %t/swapped/*-update-mpc-insert-update.mlir | FileCheck %s --check-prefix=SWAPPED
// SWAPPED: %minimum = graph.minimum
//
// Results that have one name in the text have a number where MLIR prints them
// apart; digits do not begin a name.
// RUN: rm -rf %t && mpc-opt %S/Inputs/result-groups.mlir --cse --dump-dir=%t -o %t.mlir
// RUN: FileCheck %s --check-prefix=GROUPS < %t/01-simplify-cse.mlir
// RUN: mpc-opt %t/01-simplify-cse.mlir | diff - %t.mlir
// GROUPS: %top:2 = unrealized_conversion_cast to f32, f32
// GROUPS: {{^}}      %f: (f32) -> f32,
// GROUPS-NEXT: {{^}}      %s: tensor<f32>,
// GROUPS: %u.0, %u.1 = graph.unscale %s, %x :
// GROUPS: %_5.0, %_5.1 = graph.unscale %s, %u.0 :
// GROUPS: return %_5.0, %_5.1, %u.1 :
// GROUPS: func.func private @declared(
// GROUPS-NEXT: {{^}}      f32,
// GROUPS-NEXT: {{^}}      i32
// Names begin anew in each function.
// GROUPS: func.func private @other(
// GROUPS-NEXT: {{^}}      %arg0: i32
// GROUPS: func.func private @another(
// GROUPS-NEXT: {{^}}      %arg0: i32
//
// Parts that do not parse together have no names, which is no error.
// RUN: bash -c 'cat %S/Inputs/result-groups.mlir; echo "// -----"; cat %S/Inputs/result-groups.mlir' > %t/parts.mlir
// RUN: mpc-opt %t/parts.mlir --split-input-file --cse --dump-dir=%t/parts -o /dev/null 2>&1 | FileCheck %s --check-prefix=SILENT --allow-empty
// SILENT-NOT: {{.}}
// RUN: FileCheck %s --check-prefix=PARTS < %t/parts/01-simplify-cse.mlir
// PARTS: %unscaled, %found_inf = graph.unscale %arg1, %arg2 :
//
// A comment ends with its line, whatever the file is called.
// RUN: bash -c 'file="%t/$(printf "a\\nb").mlir" && cp %S/Inputs/result-groups.mlir "$file" && mpc-opt "$file" --cse --dump-dir=%t/file -o %t/file.mlir'
// RUN: mpc-opt %t/file/01-simplify-cse.mlir | diff - %t/file.mlir
func.func @m(%x: tensor<4x4xf32> {graph.input = "x"}, %a: tensor<4x4xf32> {graph.parameter = "w1", graph.init = #graph.zeros} loc("one"),
             %b: tensor<4x4xf32> {graph.parameter = "w10", graph.init = #graph.zeros} loc("one"))
    -> (tensor<f32> {graph.loss})
    attributes {graph.training = #graph.training<loss_scale = #graph.loss_scale<mode = "dynamic">, optimizer = #graph.optimizer<name = "sgd", lr = 0.1>,
                                                 clip = #graph.clip<norm = 1.0>>} {
  %h = graph.matmul %x, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %h.cast_0 = graph.matmul %h, %b : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %loss = graph.mse %h.cast_0, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
