// A2: an op of the lower_precision_fp list under a bf16 region gives the bits of
// the op on operands that were cast by hand, in bf16.
// RUN: mpc-opt %s --mpc-autocast="mode=torch precision=bf16" --mpc-verify-autocast -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: graph-eval %t.mlir --function=model --rounded --compare=%s --compare-function=by_hand --rtol=0 --atol=0
// CHECK-LABEL: func.func @model
// CHECK: graph.matmul {{.*}} : (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xbf16>
// CHECK: graph.matmul {{.*}} : (tensor<8x8x8xbf16>, tensor<8x8x8xbf16>) -> tensor<8x8x8xbf16>
// CHECK: graph.matmul {{.*}} transpose_lhs transpose_rhs : (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xbf16>
// CHECK: graph.convolution {{.*}} : (tensor<2x4x6xbf16>, tensor<6x2x3xbf16>) -> tensor<2x6x6xbf16>
// CHECK: graph.convolution {{.*}} : (tensor<2x3x5x5xbf16>, tensor<4x3x3x3xbf16>) -> tensor<2x4x2x2xbf16>
// CHECK: graph.convolution {{.*}} : (tensor<1x2x3x4x4xbf16>, tensor<3x2x2x2x2xbf16>) -> tensor<1x3x2x3x3xbf16>
// CHECK: graph.transposed_convolution {{.*}} : (tensor<2x4x2x2xbf16>, tensor<4x3x3x3xbf16>) -> tensor<2x3x5x5xbf16>
// CHECK-LABEL: func.func @by_hand
func.func @model(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>, %b: tensor<8x8x8xf32>,
    %x1: tensor<2x4x6xf32>, %w1: tensor<6x2x3xf32>, %x2: tensor<2x3x5x5xf32>, %w2: tensor<4x3x3x3xf32>,
    %x3: tensor<1x2x3x4x4xf32>, %w3: tensor<3x2x2x2x2xf32>)
    -> (tensor<8x8xf32>, tensor<8x8x8xf32>, tensor<8x8xf32>, tensor<2x6x6xf32>, tensor<2x4x2x2xf32>,
        tensor<1x3x2x3x3xf32>, tensor<2x3x5x5xf32>) {
  %0 = graph.matmul %x, %y : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.matmul %b, %b : (tensor<8x8x8xf32>, tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  %2 = graph.matmul %x, %y transpose_lhs transpose_rhs : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %c1 = graph.convolution %x1, %w1 same groups = 2 : (tensor<2x4x6xf32>, tensor<6x2x3xf32>) -> tensor<2x6x6xf32>
  %c2 = graph.convolution %x2, %w2 strides = [2, 2] : (tensor<2x3x5x5xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x2x2xf32>
  %c3 = graph.convolution %x3, %w3 : (tensor<1x2x3x4x4xf32>, tensor<3x2x2x2x2xf32>) -> tensor<1x3x2x3x3xf32>
  %c4 = graph.transposed_convolution %c2, %w2 strides = [2, 2] : (tensor<2x4x2x2xf32>, tensor<4x3x3x3xf32>) -> tensor<2x3x5x5xf32>
  return %0, %1, %2, %c1, %c2, %c3, %c4 : tensor<8x8xf32>, tensor<8x8x8xf32>, tensor<8x8xf32>, tensor<2x6x6xf32>, tensor<2x4x2x2xf32>, tensor<1x3x2x3x3xf32>, tensor<2x3x5x5xf32>
}
func.func @by_hand(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>, %b: tensor<8x8x8xf32>,
    %x1: tensor<2x4x6xf32>, %w1: tensor<6x2x3xf32>, %x2: tensor<2x3x5x5xf32>, %w2: tensor<4x3x3x3xf32>,
    %x3: tensor<1x2x3x4x4xf32>, %w3: tensor<3x2x2x2x2xf32>)
    -> (tensor<8x8xf32>, tensor<8x8x8xf32>, tensor<8x8xf32>, tensor<2x6x6xf32>, tensor<2x4x2x2xf32>,
        tensor<1x3x2x3x3xf32>, tensor<2x3x5x5xf32>) {
  %xn = graph.cast %x : (tensor<8x8xf32>) -> tensor<8x8xbf16>
  %yn = graph.cast %y : (tensor<8x8xf32>) -> tensor<8x8xbf16>
  %bn = graph.cast %b : (tensor<8x8x8xf32>) -> tensor<8x8x8xbf16>
  %0 = graph.matmul %xn, %yn : (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xbf16>
  %1 = graph.matmul %bn, %bn : (tensor<8x8x8xbf16>, tensor<8x8x8xbf16>) -> tensor<8x8x8xbf16>
  %2 = graph.matmul %xn, %yn transpose_lhs transpose_rhs : (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xbf16>
  %3 = graph.cast %0 : (tensor<8x8xbf16>) -> tensor<8x8xf32>
  %4 = graph.cast %1 : (tensor<8x8x8xbf16>) -> tensor<8x8x8xf32>
  %5 = graph.cast %2 : (tensor<8x8xbf16>) -> tensor<8x8xf32>
  %x1n = graph.cast %x1 : (tensor<2x4x6xf32>) -> tensor<2x4x6xbf16>
  %w1n = graph.cast %w1 : (tensor<6x2x3xf32>) -> tensor<6x2x3xbf16>
  %x2n = graph.cast %x2 : (tensor<2x3x5x5xf32>) -> tensor<2x3x5x5xbf16>
  %w2n = graph.cast %w2 : (tensor<4x3x3x3xf32>) -> tensor<4x3x3x3xbf16>
  %x3n = graph.cast %x3 : (tensor<1x2x3x4x4xf32>) -> tensor<1x2x3x4x4xbf16>
  %w3n = graph.cast %w3 : (tensor<3x2x2x2x2xf32>) -> tensor<3x2x2x2x2xbf16>
  %c1 = graph.convolution %x1n, %w1n same groups = 2 : (tensor<2x4x6xbf16>, tensor<6x2x3xbf16>) -> tensor<2x6x6xbf16>
  %c2 = graph.convolution %x2n, %w2n strides = [2, 2] : (tensor<2x3x5x5xbf16>, tensor<4x3x3x3xbf16>) -> tensor<2x4x2x2xbf16>
  %c3 = graph.convolution %x3n, %w3n : (tensor<1x2x3x4x4xbf16>, tensor<3x2x2x2x2xbf16>) -> tensor<1x3x2x3x3xbf16>
  %c4 = graph.transposed_convolution %c2, %w2n strides = [2, 2] : (tensor<2x4x2x2xbf16>, tensor<4x3x3x3xbf16>) -> tensor<2x3x5x5xbf16>
  %d1 = graph.cast %c1 : (tensor<2x6x6xbf16>) -> tensor<2x6x6xf32>
  %d2 = graph.cast %c2 : (tensor<2x4x2x2xbf16>) -> tensor<2x4x2x2xf32>
  %d3 = graph.cast %c3 : (tensor<1x3x2x3x3xbf16>) -> tensor<1x3x2x3x3xf32>
  %d4 = graph.cast %c4 : (tensor<2x3x5x5xbf16>) -> tensor<2x3x5x5xf32>
  return %3, %4, %5, %d1, %d2, %d3, %d4 : tensor<8x8xf32>, tensor<8x8x8xf32>, tensor<8x8xf32>, tensor<2x6x6xf32>, tensor<2x4x2x2xf32>, tensor<1x3x2x3x3xf32>, tensor<2x3x5x5xf32>
}
