// A2: an op of the lower_precision_fp list under a bf16 region gives the bits of
// the op on operands that were cast by hand, in bf16.
// RUN: mpc-opt %s --mpc-autocast="mode=torch precision=bf16" --mpc-verify-autocast -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: graph-eval %t.mlir --function=model --rounded --compare=%s --compare-function=by_hand --rtol=0 --atol=0
// CHECK-LABEL: func.func @model
// CHECK: graph.matmul {{.*}} : (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xbf16>
// CHECK: graph.matmul {{.*}} : (tensor<8x8x8xbf16>, tensor<8x8x8xbf16>) -> tensor<8x8x8xbf16>
// CHECK: graph.matmul {{.*}} transpose_lhs transpose_rhs : (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xbf16>
// CHECK-LABEL: func.func @by_hand
func.func @model(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>, %b: tensor<8x8x8xf32>)
    -> (tensor<8x8xf32>, tensor<8x8x8xf32>, tensor<8x8xf32>) {
  %0 = graph.matmul %x, %y : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.matmul %b, %b : (tensor<8x8x8xf32>, tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  %2 = graph.matmul %x, %y transpose_lhs transpose_rhs : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0, %1, %2 : tensor<8x8xf32>, tensor<8x8x8xf32>, tensor<8x8xf32>
}
func.func @by_hand(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>, %b: tensor<8x8x8xf32>)
    -> (tensor<8x8xf32>, tensor<8x8x8xf32>, tensor<8x8xf32>) {
  %xn = graph.cast %x : (tensor<8x8xf32>) -> tensor<8x8xbf16>
  %yn = graph.cast %y : (tensor<8x8xf32>) -> tensor<8x8xbf16>
  %bn = graph.cast %b : (tensor<8x8x8xf32>) -> tensor<8x8x8xbf16>
  %0 = graph.matmul %xn, %yn : (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xbf16>
  %1 = graph.matmul %bn, %bn : (tensor<8x8x8xbf16>, tensor<8x8x8xbf16>) -> tensor<8x8x8xbf16>
  %2 = graph.matmul %xn, %yn transpose_lhs transpose_rhs : (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xbf16>
  %3 = graph.cast %0 : (tensor<8x8xbf16>) -> tensor<8x8xf32>
  %4 = graph.cast %1 : (tensor<8x8x8xbf16>) -> tensor<8x8x8xf32>
  %5 = graph.cast %2 : (tensor<8x8xbf16>) -> tensor<8x8xf32>
  return %3, %4, %5 : tensor<8x8xf32>, tensor<8x8x8xf32>, tensor<8x8xf32>
}
