// Value test: the model computes the same before and after within the rounding
// of the narrow type: unit roundoff 2^-11 for f16, 2^-8 for bf16, a few
// roundings on the way, values of order 1.
// RUN: mpc-opt %s --mpc-autocast="precision=fp16" | graph-eval - --rounded --compare=%s --rtol=4e-3 --atol=4e-3
// RUN: mpc-opt %s --mpc-autocast="precision=fp16 mode=torch" | graph-eval - --rounded --compare=%s --rtol=4e-3 --atol=4e-3
// RUN: mpc-opt %s --mpc-autocast="precision=bf16" | graph-eval - --rounded --compare=%s --rtol=3e-2 --atol=3e-2
// RUN: mpc-opt %s --mpc-autocast="precision=bf16 mode=torch" | graph-eval - --rounded --compare=%s --rtol=3e-2 --atol=3e-2
// RUN: mpc-opt %s --mpc-autocast="precision=fp32" | graph-eval - --compare=%s --rtol=0 --atol=0
// Without rounding a cast is the identity: the rewriting alone changes nothing.
// RUN: mpc-opt %s --mpc-autocast="precision=fp16" | graph-eval - --compare=%s --rtol=1e-12 --atol=1e-12
// The test can fail: 16-bit rounding is seen.
// RUN: mpc-opt %s --mpc-autocast="precision=bf16" | not graph-eval - --rounded --compare=%s --rtol=1e-7 --atol=1e-7
func.func @model(%x: tensor<8x16xf32> {graph.input = "x"}, %label: tensor<8xi32> {graph.input = "label"},
                 %w1: tensor<16x16xf32> {graph.parameter = "w1"}, %b1: tensor<16xf32> {graph.parameter = "b1"},
                 %w2: tensor<16x4xf32> {graph.parameter = "w2"})
    -> (tensor<8x4xf32> {graph.output = "p"}, tensor<8x16xf32> {graph.output = "h"}) {
  %0 = graph.matmul %x, %w1 : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %1 = graph.add %0, %b1 : (tensor<8x16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  %2 = graph.layer_norm %1 first_dim = 1 : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %3 = graph.gelu %2 : tensor<8x16xf32>
  %4 = graph.matmul %3, %w2 : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %5 = graph.softmax %4 dim = 1 : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %5, %1 : tensor<8x4xf32>, tensor<8x16xf32>
}
