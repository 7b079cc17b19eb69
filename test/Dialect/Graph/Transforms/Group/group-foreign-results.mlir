// RUN: foreign-opt %s --mpc-group --mpc-verify-group | FileCheck %s
// An op with several results is not copied for its readers, cheap as it is.
// CHECK-LABEL: @read_by_several
// CHECK: example.sum_difference
// CHECK-NOT: example.sum_difference
// CHECK: return
func.func @read_by_several(%a: tensor<16x64xf32>, %b: tensor<64xf32>, %w: tensor<64x64xf32>) -> (tensor<16x64xf32>, tensor<16xf32>, tensor<16x64xf32>) {
  %0:2 = example.sum_difference %a, %b : (tensor<16x64xf32>, tensor<64xf32>) -> (tensor<16x64xf32>, tensor<16x64xf32>)
  %1 = graph.exp %0#0 : tensor<16x64xf32>
  %2 = graph.matmul %1, %w : (tensor<16x64xf32>, tensor<64x64xf32>) -> tensor<16x64xf32>
  %3 = graph.sum %0#0 dims = [1] : (tensor<16x64xf32>) -> tensor<16xf32>
  %4 = graph.mul %2, %0#1 : (tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>
  return %2, %3, %4 : tensor<16x64xf32>, tensor<16xf32>, tensor<16x64xf32>
}
