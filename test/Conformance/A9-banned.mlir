// A9: binary_cross_entropy is an error under PyTorch's autocast on CUDA. Here it
// runs in f32 and says so; where autocast is off, and on the CPU list, nothing
// is to be said.
// RUN: mpc-opt %s --split-input-file --mpc-inline-regions --mpc-autocast="mode=torch precision=fp16" --mpc-verify-autocast --remark-format=emitRemark --remarks-filter=mpc-autocast 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: mpc-opt %s --split-input-file --mpc-inline-regions --mpc-autocast="mode=torch lists=cpu precision=fp16" --mpc-verify-autocast -o /dev/null --remark-format=emitRemark --remarks-filter=mpc-autocast 2>&1 | FileCheck %s --check-prefix=CPU --allow-empty
// REMARK: remark: {{.*}}graph.binary_cross_entropy is banned
// REMARK-NOT: is banned
// CPU-NOT: is banned
// CHECK-LABEL: func.func @model
// CHECK: graph.cast %{{.*}} because "banned: binary_cross_entropy runs in f32" : (tensor<8x8xf16>) -> tensor<8x8xf32>
// CHECK-NEXT: graph.binary_cross_entropy {{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<f32>
func.func @model(%x: tensor<8x8xf32> {graph.input = "x"}, %t: tensor<8x8xf32> {graph.input = "t"}) -> tensor<f32> {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.sigmoid %0 : tensor<8x8xf32>
  %2 = graph.binary_cross_entropy %1, %t : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @in_a_region_that_is_off
// CHECK: graph.binary_cross_entropy {{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<f32>
func.func @in_a_region_that_is_off(%p: tensor<8x8xf32> {graph.input = "p"}, %t: tensor<8x8xf32> {graph.input = "t"}) -> tensor<f32> {
  %0 = graph.autocast_region <enabled = false> -> tensor<f32> {
    %1 = graph.binary_cross_entropy %p, %t : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<f32>
    graph.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}
