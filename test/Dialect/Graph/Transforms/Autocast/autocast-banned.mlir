// What PyTorch's autocast refuses runs in f32, and a remark says so; its CPU
// list has it as fp32, without a word.
// RUN: mpc-opt %s --mpc-autocast="mode=torch precision=fp16" --mpc-verify-autocast --remarks-filter=mpc-autocast 2>&1 | FileCheck %s
// RUN: mpc-opt %s --mpc-autocast="mode=torch lists=apex precision=fp16" --mpc-verify-autocast --remarks-filter=mpc-autocast 2>&1 | FileCheck %s
// RUN: mpc-opt %s --mpc-autocast="mode=torch lists=cpu precision=bf16" --mpc-verify-autocast --remarks-filter=mpc-autocast 2>&1 | FileCheck %s --check-prefix=CPU
// CHECK: remark: {{.*}}graph.binary_cross_entropy is banned from autocast in PyTorch, where it is an error: it runs in f32, as in a region with autocast off
// CHECK: graph.cast %{{.*}} because "banned: binary_cross_entropy runs in f32"
// CHECK: graph.binary_cross_entropy {{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<f32>
// CPU-NOT: is banned
// CPU: graph.cast %{{.*}} because "fp32: binary_cross_entropy runs in f32"
func.func @model(%x: tensor<8x8xf32> {graph.input = "x"}, %t: tensor<8x8xf32> {graph.input = "t"}) -> (tensor<f32> {graph.loss}) {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.sigmoid %0 : tensor<8x8xf32>
  %2 = graph.binary_cross_entropy %1, %t : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}
