// Mode whole: the model is cast and ops run in the type of their operands.
// RUN: mpc-opt %s --split-input-file --mpc-autocast="mode=whole precision=fp16" --mpc-verify-autocast | FileCheck %s
// RUN: mpc-opt %s --split-input-file --mpc-autocast="mode=whole precision=fp16 keep-normalization=true" --mpc-verify-autocast | FileCheck %s --check-prefix=KEEP
// RUN: mpc-opt %s --split-input-file --mpc-autocast="mode=whole precision=bf16 output=bf16" --mpc-verify-autocast | FileCheck %s --check-prefix=OUT
// RUN: mpc-opt %s --split-input-file --mpc-autocast="mode=whole precision=fp32 output=f16" --mpc-verify-autocast | FileCheck %s --check-prefix=WIDE

// Apex O3: inputs, parameters and constants are f16, exp too; the result is
// cast back. Apex O2 (keep) leaves normalization and its parameters f32, and nothing behind it. With
// a 16-bit output type what leaves the model is rounded to it.
// CHECK-LABEL: func.func @model
// CHECK-SAME: graph.autocast = {keep_normalization = "false", mode = "whole", output = "f32", precision = "fp16"}
// CHECK: graph.cast %{{.*}} because "whole: matmul runs in f16"
// CHECK: graph.matmul {{.*}} -> tensor<8x8xf16>
// CHECK: graph.layer_norm {{.*}} -> tensor<8x8xf16>
// CHECK: graph.mul {{.*}} -> tensor<8x8xf16>
// CHECK: graph.exp %{{.*}} : tensor<8x8xf16>
// CHECK: graph.cast %{{.*}} because "output: result #0 leaves the model in f32" : (tensor<8x8xf16>) -> tensor<8x8xf32>
// CHECK-NEXT: return
// KEEP-LABEL: func.func @model
// KEEP: %[[M:.*]] = graph.matmul {{.*}} -> tensor<8x8xf16>
// KEEP: %[[UP:.*]] = graph.cast %[[M]] because "normalization: layer_norm runs in f32"
// KEEP: graph.layer_norm %[[UP]] weight %{{[a-z0-9]+}} first_dim = 1 : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
// KEEP: graph.cast %{{.*}} because "whole: mul runs in f16"
// KEEP: graph.mul {{.*}} -> tensor<8x8xf16>
// OUT-LABEL: func.func @model
// OUT: %[[E:.*]] = graph.exp %{{.*}} : tensor<8x8xbf16>
// OUT: %[[F:.*]] = graph.cast %[[E]] because "return: result #0 is declared f32"
// OUT-NEXT: return %[[F]]
// WIDE-LABEL: func.func @model
// WIDE: %[[E:.*]] = graph.exp %{{.*}} : tensor<8x8xf32>
// WIDE: %[[H:.*]] = graph.cast %[[E]] because "output: result #0 leaves the model in f16"
// WIDE: %[[F:.*]] = graph.cast %[[H]] because "return: result #0 is declared f32"
// WIDE-NEXT: return %[[F]]
func.func @model(%x: tensor<8x8xf32> {graph.input = "x"}, %w: tensor<8x8xf32> {graph.parameter = "w"},
                 %g: tensor<8xf32> {graph.parameter = "g"}) -> (tensor<8x8xf32> {graph.output = "y"}) {
  %half = graph.constant dense<0.5> : tensor<8x8xf32>
  %0 = graph.matmul %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.layer_norm %0 weight %g first_dim = 1 : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  %2 = graph.mul %1, %half : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = graph.exp %2 : tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}

// -----

// The loss reads outputs of the model, and targets as they come; it is f32 even
// with a 16-bit output type, and so is the arithmetic that leads to it.
// CHECK-LABEL: func.func @loss
// CHECK-SAME: %{{.*}}: {{.*}}, %[[T:.*]]: tensor<8x8xf32> {graph.input = "t"}
// CHECK: %[[M:.*]] = graph.matmul {{.*}} -> tensor<8x8xf16>
// CHECK: %[[UP:.*]] = graph.cast %[[M]] because "output: mse takes outputs of the model in f32"
// CHECK: %[[MSE:.*]] = graph.mse %[[UP]], %[[T]] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<f32>
// CHECK: graph.sum {{.*}} : (tensor<8x8xf32>) -> tensor<f32>
// CHECK: graph.add {{.*}} -> tensor<f32>
// OUT-LABEL: func.func @loss
// OUT: graph.mse {{.*}} : (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<f32>
// OUT: graph.sum {{.*}} dtype = f32 : (tensor<8x8xbf16>) -> tensor<f32>
// OUT: %[[L:.*]] = graph.add {{.*}} : (tensor<f32>, tensor<f32>) -> tensor<f32>
// OUT-NEXT: return %[[L]]
func.func @loss(%x: tensor<8x8xf32> {graph.input = "x"}, %t: tensor<8x8xf32> {graph.input = "t"},
                %w: tensor<8x8xf32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}) {
  %0 = graph.matmul %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.mse %0, %t : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<f32>
  %2 = graph.sum %0 dims = [0, 1] : (tensor<8x8xf32>) -> tensor<f32>
  %3 = graph.add %1, %2 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %3 : tensor<f32>
}

// -----

// Native promotion: a cast that the user wrote gives what was written, and two
// types meet in f32. f64 and integers are not touched.
// CHECK-LABEL: func.func @promotion
// CHECK: %[[W:.*]] = graph.cast %{{.*}} : (tensor<8xf16>) -> tensor<8xf32>
// CHECK: graph.add %{{.*}} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
// CHECK: graph.exp %{{.*}} : tensor<8xf64>
func.func @promotion(%x: tensor<8xf32> {graph.input = "x"}, %d: tensor<8xf64> {graph.input = "d"})
    -> (tensor<8xf32>, tensor<8xf64>) {
  %0 = graph.relu %x : tensor<8xf32>
  %1 = graph.cast %0 : (tensor<8xf32>) -> tensor<8xf32>
  %2 = graph.add %1, %0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %3 = graph.exp %d : tensor<8xf64>
  return %2, %3 : tensor<8xf32>, tensor<8xf64>
}
