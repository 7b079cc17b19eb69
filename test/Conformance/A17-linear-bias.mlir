// A17: PyTorch's `linear` is one op of the lower_precision_fp list, so its f32
// bias is cast too. Here it is a function with the word Allow: all of its
// operands are f16, and so is its sum.
// RUN: mpc-opt %s --mpc-inline-regions --mpc-autocast="mode=torch precision=fp16" --mpc-inline-custom --mpc-verify-autocast | FileCheck %s
// CHECK-DAG: %[[X:.*]] = graph.cast %{{.*}} because "lower_precision_fp: custom runs in f16" : (tensor<4x8xf32>) -> tensor<4x8xf16>
// CHECK-DAG: %[[W:.*]] = graph.cast %{{.*}} because "lower_precision_fp: custom runs in f16" : (tensor<8x2xf32>) -> tensor<8x2xf16>
// CHECK-DAG: %[[B:.*]] = graph.cast %{{.*}} because "lower_precision_fp: custom runs in f16" : (tensor<2xf32>) -> tensor<2xf16>
// CHECK: %[[P:.*]] = graph.matmul %[[X]], %[[W]] {{.*}} -> tensor<4x2xf16>
// CHECK: graph.add %[[P]], %[[B]] {{.*}} : (tensor<4x2xf16>, tensor<2xf16>) -> tensor<4x2xf16>
func.func private @linear(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %b: tensor<2xf32>) -> tensor<4x2xf32> {
  %0 = graph.matmul %x, %w : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %1 = graph.add %0, %b : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}
func.func @model(%x: tensor<4x8xf32> {graph.input = "x"}, %w: tensor<8x2xf32> {graph.parameter = "w"},
    %b: tensor<2xf32> {graph.parameter = "b"}) -> tensor<4x2xf32> {
  %0 = graph.custom @linear(%x, %w, %b) policy = "Allow" : (tensor<4x8xf32>, tensor<8x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}
