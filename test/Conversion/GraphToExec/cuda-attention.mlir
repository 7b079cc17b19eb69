// On a device rows of up to 128 elements are a call, and wider ones products.
// RUN: mpc-opt %s --split-input-file --compile-to=exec --target=cuda | FileCheck %s

// CHECK: exec.call #exec.attention
// CHECK-NOT: exec.call
func.func @call(
    %q: tensor<2x64x4x128xf32> {graph.input = "q"},
    %k: tensor<2x64x4x128xf32> {graph.input = "k"},
    %v: tensor<2x64x4x64xf32> {graph.input = "v"})
    -> (tensor<2x64x4x64xf32> {graph.output = "y"}) {
  %y, %lse = graph.scaled_dot_product_attention %q, %k, %v causal : (tensor<2x64x4x128xf32>, tensor<2x64x4x128xf32>, tensor<2x64x4x64xf32>) -> (tensor<2x64x4x64xf32>, tensor<2x4x64xf32>)
  return %y : tensor<2x64x4x64xf32>
}

// -----

// CHECK: exec.call #exec.matmul
// CHECK: exec.call #exec.matmul
// CHECK-NOT: exec.attention
func.func @products(
    %q: tensor<2x64x4x64xf32> {graph.input = "q"},
    %k: tensor<2x64x4x64xf32> {graph.input = "k"},
    %v: tensor<2x64x4x129xf32> {graph.input = "v"})
    -> (tensor<2x64x4x129xf32> {graph.output = "y"}) {
  %y, %lse = graph.scaled_dot_product_attention %q, %k, %v causal : (tensor<2x64x4x64xf32>, tensor<2x64x4x64xf32>, tensor<2x64x4x129xf32>) -> (tensor<2x64x4x129xf32>, tensor<2x4x64xf32>)
  return %y : tensor<2x64x4x129xf32>
}
