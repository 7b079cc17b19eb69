// A18: a bf16 operand of a promoting op in an fp16 region. PyTorch and mode
// torch refuse it where the promote list does, unless an operand before it is
// f32; everywhere else the two meet in f32.
// RUN: sed -e 's/concat %0, %1 dim/concat %x, %1 dim/' %s | mpc-opt --mpc-inline-regions --mpc-autocast="mode=torch lists=cpu precision=fp16" --mpc-verify-autocast | FileCheck %s
// RUN: sed -e 's/concat %0, %1 dim/concat %1, %x dim/' %s | not mpc-opt --mpc-inline-regions --mpc-autocast="mode=torch lists=cpu precision=fp16" 2>&1 | FileCheck %s --check-prefix=FIRST
// FIRST: error: 'graph.concat' op expected operands of policy promote to be 'f16' or f32, but operand #0 is 'bf16' and none before it f32
// RUN: mpc-opt %s --mpc-inline-regions --mpc-autocast="mode=torch precision=fp16" --mpc-verify-autocast | FileCheck %s --check-prefix=TORCH
// RUN: mpc-opt %s --mpc-inline-regions --mpc-autocast="mode=cheapest precision=fp16" --mpc-verify-autocast | FileCheck %s
// RUN: not mpc-opt %s --mpc-inline-regions --mpc-autocast="mode=torch lists=cpu precision=fp16" 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error: 'graph.concat' op expected operands of policy promote to be 'f16' or f32, but operand #1 is 'bf16'
// TORCH: graph.concat {{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
// CHECK: graph.concat {{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
func.func @model(%x: tensor<8x8xf32> {graph.input = "x"}) -> tensor<16x8xf32> {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.autocast_region <dtype = bf16> -> tensor<8x8xf32> {
    %2 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    graph.yield %2 : tensor<8x8xf32>
  }
  %3 = graph.concat %0, %1 dim = 0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  return %3 : tensor<16x8xf32>
}
