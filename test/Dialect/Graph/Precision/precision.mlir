// The decisions alone, without rewriting: type and reason per op.
// RUN: mpc-opt %s --split-input-file --verify-diagnostics --mpc-autocast="precision=fp16 print-decisions" | FileCheck %s
// CHECK-NOT: graph.cast
func.func @decisions(%x: tensor<8x8xf32> {graph.input = "x"}) -> (tensor<f32> {graph.loss}, tensor<8x8xf32>) {
  // expected-remark @below {{Allow, 'f16', allow: matmul runs in f16}}
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-remark @below {{Infer, 'f16', infer: add runs in f16 (fewest bytes)}}
  %1 = graph.add %0, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-remark @below {{DenyIO, 'f16', denyio: gelu runs in f16, f32 inside (fewest bytes)}}
  %2 = graph.gelu %1 : tensor<8x8xf32>
  // expected-remark @below {{DenyIO, 'f16', denyio: softmax reads f16 and writes f32, f32 inside (fewest bytes)}}
  %3 = graph.softmax %2 dim = 1 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-remark @below {{Deny, 'f32', deny: exp runs in f32}}
  %4 = graph.exp %3 : tensor<8x8xf32>
  // expected-remark @below {{Promote, 'f32', promote: maximum runs in f32 (fewest bytes)}}
  %5 = graph.maximum %4, %3 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-remark @below {{DenyIO, 'f32', loss: mean stays f32}}
  %6 = graph.mean %5 dims = [0, 1] : (tensor<8x8xf32>) -> tensor<f32>
  return %6, %5 : tensor<f32>, tensor<8x8xf32>
}
