// A12: torch.amp.custom_fwd. Without cast_inputs the function runs under its
// caller's state; with cast_inputs = f32 its inputs are f32, autocast is off
// inside, and its output is f32. The backward has the forward's types.
// RUN: mpc-opt %s --mpc-inline-regions --mpc-autocast="mode=torch precision=fp16" --mpc-inline-custom --mpc-verify-autocast --mpc-differentiate --mpc-verify-autodiff | FileCheck %s
// CHECK-LABEL: func.func @model_step
// CHECK: %[[PLAIN:.*]] = graph.matmul {{.*}} : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
// CHECK: %[[IN:.*]] = graph.cast %[[PLAIN]] because "fp32: custom runs in f32" : (tensor<8x8xf16>) -> tensor<8x8xf32>
// CHECK: %[[OUT:.*]] = graph.matmul %[[IN]], %[[W:.*]] {graph.autocast_region = #graph.autocast_region<name = "@product", enabled = false>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK: graph.constant {graph.seed}
// CHECK: graph.matmul %[[IN]], %{{.*}} transpose_lhs : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK: graph.matmul {{.*}} : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
// CHECK-NOT: @product
func.func private @product(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = graph.matmul %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func @model(%x: tensor<8x8xf32> {graph.input = "x"}, %w: tensor<8x8xf32> {graph.parameter = "w"})
    -> (tensor<f32> {graph.loss}) {
  %0 = graph.custom @product(%x, %w) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.custom @product(%0, %w) cast_inputs = f32 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = graph.mse %1, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}
