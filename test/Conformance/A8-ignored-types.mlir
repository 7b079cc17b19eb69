// A8: f64 and integers are not touched: an fp32 op of f64 stays f64, so does a
// matmul; f64 beside f16 is an error of the op, in a region or out of it.
// RUN: mpc-opt %s --mpc-autocast="mode=torch precision=fp16" --mpc-verify-autocast | FileCheck %s
// RUN: mpc-opt %s --mpc-autocast="mode=cheapest precision=fp16" --mpc-verify-autocast | FileCheck %s
// RUN: sed -e 's/[/][/]DOUBLE//' %s | not mpc-opt 2>&1 | FileCheck %s --check-prefix=MIXED
// RUN: sed -e 's/[/][/]DOUBLE//' %s | not mpc-opt --mpc-autocast="mode=torch precision=fp16" 2>&1 | FileCheck %s --check-prefix=MIXED
// MIXED: error: {{.*}}all of {lhs, rhs} have same element type
// CHECK-LABEL: func.func @model
// CHECK-NEXT: graph.exp %{{.*}} : tensor<8x8xf64>
// CHECK-NEXT: graph.matmul {{.*}} : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
// CHECK-NEXT: graph.mul {{.*}} : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
// CHECK-NEXT: return
func.func @model(%x: tensor<8x8xf64> {graph.input = "x"}, %i: tensor<8xi32> {graph.input = "i"},
                 %h: tensor<8x8xf16> {graph.input = "h"}) -> (tensor<8x8xf64>, tensor<8x8xf64>, tensor<8xi32>) {
  %0 = graph.exp %x : tensor<8x8xf64>
  %1 = graph.matmul %x, %x : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
  %2 = graph.mul %i, %i : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  //DOUBLE%3 = graph.matmul %x, %h : (tensor<8x8xf64>, tensor<8x8xf16>) -> tensor<8x8xf64>
  return %0, %1, %2 : tensor<8x8xf64>, tensor<8x8xf64>, tensor<8xi32>
}
