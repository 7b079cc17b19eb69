// A19: nn.Linear, then nn.LayerNorm, on the list for CPUs. layer_norm is on no
// list, and PyTorch's kernel takes a 16-bit input with f32 weights as they are
// (2.15.0, torch.autocast("cpu")): result and gradient of the input are bf16,
// the gradients of weight and bias f32. On CUDA it is on the fp32 list.
// RUN: mpc-opt %s --mpc-autocast="mode=torch lists=cpu precision=bf16" --mpc-verify-autocast --mpc-differentiate | FileCheck %s
// RUN: mpc-opt %s --mpc-autocast="mode=torch precision=bf16" --mpc-verify-autocast | FileCheck %s --check-prefix=CUDA
// RUN: mpc-opt %s --mpc-autocast="mode=torch lists=cpu precision=bf16 print-decisions" -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAID
// SAID: fallthrough, 'bf16', fallthrough: layer_norm runs in bf16
// CHECK-LABEL: func.func @model_step
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x8xf32> {graph.input = "x"}
// CHECK-SAME: %[[G:[a-z0-9]+]]: tensor<8xf32> {graph.parameter = "norm.weight"}, %[[B:[a-z0-9]+]]: tensor<8xf32> {graph.parameter = "norm.bias"}
// CHECK: %[[M:.*]] = graph.matmul {{.*}} -> tensor<4x8xbf16>
// CHECK-NEXT: %[[N:.*]] = graph.layer_norm %[[M]] weight %[[G]] bias %[[B]] first_dim = 1 : (tensor<4x8xbf16>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xbf16>
// The input's gradient, rounded once; the weight's is taken in f32.
// CHECK: %[[DX:.*]] = graph.cast %{{.*}} because "gradient of graph.layer_norm in the type of its operand" : (tensor<4x8xf32>) -> tensor<4x8xbf16>
// CHECK: %[[DW:.*]] = graph.sum %{{.*}} dims = [0] : (tensor<4x8xf32>) -> tensor<8xf32>
// CHECK: graph.matmul %{{.*}}, %[[DX]] transpose_lhs
// CHECK: return {{.*}} %[[DW]], %{{.*}} : tensor<f32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>
// CUDA: graph.layer_norm {{.*}} : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
func.func @model(%x: tensor<4x8xf32> {graph.input = "x"}, %w: tensor<8x8xf32> {graph.parameter = "linear.weight"},
                 %g: tensor<8xf32> {graph.parameter = "norm.weight"}, %b: tensor<8xf32> {graph.parameter = "norm.bias"})
    -> (tensor<f32> {graph.loss}) {
  %0 = graph.matmul %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = graph.layer_norm %0 weight %g bias %b first_dim = 1 : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %2 = graph.mse %1, %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}
