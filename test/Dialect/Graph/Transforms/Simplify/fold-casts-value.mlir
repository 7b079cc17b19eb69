// Value test. In strict mode every rounding stays, so all results are equal to
// the last bit.
// RUN: mpc-opt %s --mpc-fold-casts=rounding=strict | graph-eval - --function=model --rounded --compare=%s --compare-function=model --rtol=0 --atol=0
// In fused mode a rounding to f16 goes (2^-11 of a value up to e), and what is
// left is the model without that rounding.
// RUN: mpc-opt %s --mpc-fold-casts=rounding=fused | graph-eval - --function=model --rounded --compare=%s --compare-function=model --rtol=2e-3 --atol=2e-3
// RUN: mpc-opt %s --mpc-fold-casts=rounding=fused | graph-eval - --function=model --rounded --compare=%s --compare-function=unrounded --rtol=0 --atol=0
// RUN: mpc-opt %s --mpc-fold-casts=rounding=strict | not graph-eval - --function=model --rounded --compare=%s --compare-function=unrounded --rtol=0 --atol=0
func.func @model(%x: tensor<4x8xf32>, %y: tensor<4x8xf16>, %z: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<8x4xf16>, tensor<4x8xf16>, tensor<2x4xf32>, tensor<8x8xf32>, tensor<8x8xf16>) {
  %0 = graph.cast %x because "a" : (tensor<4x8xf32>) -> tensor<4x8xf16>
  %1 = graph.cast %0 because "b" : (tensor<4x8xf16>) -> tensor<4x8xf32>
  %2 = graph.exp %1 : tensor<4x8xf32>
  %3 = graph.transpose %z permutation = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %4 = graph.cast %3 because "c" : (tensor<8x4xf32>) -> tensor<8x4xf16>
  %5 = graph.cast %y because "d" : (tensor<4x8xf16>) -> tensor<4x8xf32>
  %6 = graph.cast %5 because "e" : (tensor<4x8xf32>) -> tensor<4x8xf16>
  %7 = graph.slice %5 offsets = [1, 2] sizes = [2, 4] : (tensor<4x8xf32>) -> tensor<2x4xf32>
  %8 = graph.neg %y : tensor<4x8xf16>
  %9 = graph.cast %8 because "f" : (tensor<4x8xf16>) -> tensor<4x8xf32>
  %10 = graph.concat %9, %9 dim = 0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %11 = graph.concat %z, %z dim = 0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %12 = graph.cast %11 because "g" : (tensor<8x8xf32>) -> tensor<8x8xf16>
  return %2, %4, %6, %7, %10, %12 : tensor<4x8xf32>, tensor<8x4xf16>, tensor<4x8xf16>, tensor<2x4xf32>, tensor<8x8xf32>, tensor<8x8xf16>
}
func.func @unrounded(%x: tensor<4x8xf32>, %y: tensor<4x8xf16>, %z: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<8x4xf16>, tensor<4x8xf16>, tensor<2x4xf32>, tensor<8x8xf32>, tensor<8x8xf16>) {
  %0 = graph.exp %x : tensor<4x8xf32>
  %1 = graph.cast %z : (tensor<4x8xf32>) -> tensor<4x8xf16>
  %2 = graph.transpose %1 permutation = [1, 0] : (tensor<4x8xf16>) -> tensor<8x4xf16>
  %3 = graph.cast %y : (tensor<4x8xf16>) -> tensor<4x8xf32>
  %4 = graph.slice %3 offsets = [1, 2] sizes = [2, 4] : (tensor<4x8xf32>) -> tensor<2x4xf32>
  %5 = graph.neg %3 : tensor<4x8xf32>
  %6 = graph.concat %5, %5 dim = 0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %7 = graph.cast %z : (tensor<4x8xf32>) -> tensor<4x8xf16>
  %8 = graph.cast %z : (tensor<4x8xf32>) -> tensor<4x8xf16>
  %9 = graph.concat %7, %8 dim = 0 : (tensor<4x8xf16>, tensor<4x8xf16>) -> tensor<8x8xf16>
  return %0, %2, %y, %4, %6, %9 : tensor<4x8xf32>, tensor<8x4xf16>, tensor<4x8xf16>, tensor<2x4xf32>, tensor<8x8xf32>, tensor<8x8xf16>
}
