// A mask of -1e9 in the other modes: bf16 has the range of f32; PyTorch casts
// it all the same, and the warning says what to do.
// RUN: mpc-opt %s --mpc-autocast="precision=bf16" 2>&1 | FileCheck %s --check-prefix=BF16
// RUN: mpc-opt %s --mpc-autocast="precision=fp16 mode=torch" 2>&1 | FileCheck %s --check-prefix=TORCH
// RUN: mpc-opt %s --mpc-autocast="precision=fp16" --remarks-filter=".*" 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: mpc-opt %s --mpc-autocast="precision=fp16 mode=torch" --remarks-filter=".*" 2>&1 | FileCheck %s --check-prefix=COUNT
// BF16-NOT: warning
// BF16: graph.select {{.*}} -> tensor<8x8xbf16>
// TORCH: warning: constant -1e+09 overflows f16 and graph.select reads it in 'f16': choose a constant within the range of 'f16', deny the op, or use mode cheapest, which keeps it f32
// TORCH: note: used here
// REMARK: remark: [Missed] constant | Category:mpc-autocast | Function=mask | Remark="constant -1e+09 overflows f16, stays f32"
// REMARK: remark: [Passed] cast | Category:mpc-autocast | Function=mask | Remark="operand #0 of graph.matmul from f32 to f16 because allow: matmul runs in f16"
// In mode torch x is cast at each of its three uses, and the constant, the f32
// softmax and the result once: 5 * 64 elements of 6 bytes, the constant free.
// COUNT: remark: [Analysis] casts | Category:mpc-autocast | Function=mask | Remark="6 casts, 0 of them shared, 1920 bytes per step"
func.func @mask(%x: tensor<8x8xf32> {graph.input = "x"}, %m: tensor<8x8xi1> {graph.input = "m"}) -> tensor<8x8xf32> {
  %c = graph.constant dense<-1.0e9> : tensor<f32>
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.select %m, %0, %c : (tensor<8x8xi1>, tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %2 = graph.transpose %1 permutation = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = graph.softmax %2 dim = 1 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %4 = graph.matmul %3, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %4 : tensor<8x8xf32>
}
