// A third float type under PyTorch's promote, and a body of two blocks.
// RUN: mpc-opt %s --split-input-file --verify-diagnostics --mpc-autocast="precision=fp16 mode=torch lists=cpu"
func.func @third_type(%x: tensor<8xf32> {graph.input = "x"}) -> tensor<16xbf16> {
  %0 = graph.cast %x : (tensor<8xf32>) -> tensor<8xbf16>
  // expected-error @below {{expected operands of policy promote to be 'f16' or f32, but operand #0 is 'bf16' and none before it f32: cast it, or use mode cheapest, where 'bf16' and 'f16' meet in f32}}
  %1 = graph.concat %0, %0 dim = 0 : (tensor<8xbf16>, tensor<8xbf16>) -> tensor<16xbf16>
  return %1 : tensor<16xbf16>
}
