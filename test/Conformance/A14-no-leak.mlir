// A14: there is no cache that could be filled without gradients: the forward
// entry and the step have a cast of the weight each, and the step's gradient
// goes through its own.
// RUN: mpc-opt %s --mpc-autocast="mode=torch precision=fp16" --mpc-differentiate | FileCheck %s
// CHECK-LABEL: func.func @model(
// CHECK: graph.cast %[[W:.*]] because "lower_precision_fp: matmul runs in f16" : (tensor<8x8xf32>) -> tensor<8x8xf16>
// CHECK-LABEL: func.func @model_step(
// CHECK: graph.cast %[[W:arg1]] because "lower_precision_fp: matmul runs in f16" : (tensor<8x8xf32>) -> tensor<8x8xf16>
// CHECK: %[[G:.*]] = graph.cast %{{.*}} because "lower_precision_fp: matmul runs in f16" : (tensor<8x8xf16>) -> tensor<8x8xf32>
// CHECK: return %{{.*}}, %[[G]] : tensor<f32>, tensor<8x8xf32>
func.func @model(%x: tensor<8x8xf32> {graph.input = "x"}, %w: tensor<8x8xf32> {graph.parameter = "w"})
    -> (tensor<f32> {graph.loss}) {
  %0 = graph.matmul %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.mse %0, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}
