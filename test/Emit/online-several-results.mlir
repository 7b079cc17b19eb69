// RUN: foreign-opt %s --mpc-group --mpc-emit-kernels=gpu=sm_90 --canonicalize --cse | FileCheck %s
// The second result of an op is x - max(x): its exponentials are summed in the
// sweep that finds the maximum. Those of the first, x + max(x), are not.
// CHECK-LABEL: gpu.func @difference_0(
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: math.exp {{.*}} : vector<4xf32>
// CHECK-NOT: scf.for
// CHECK-LABEL: gpu.func @sum_0(
// CHECK: scf.for
// CHECK-NOT: math.exp
// CHECK: scf.for
// CHECK: math.exp {{.*}} : vector<4xf32>
func.func @difference(%x: tensor<8x131072xf32>) -> tensor<8x1xf32> {
  %0 = graph.max %x dims = [1] keep : (tensor<8x131072xf32>) -> tensor<8x1xf32>
  %1:2 = example.sum_difference %x, %0 : (tensor<8x131072xf32>, tensor<8x1xf32>) -> (tensor<8x131072xf32>, tensor<8x131072xf32>)
  %2 = graph.exp %1#1 : tensor<8x131072xf32>
  %3 = graph.sum %2 dims = [1] keep : (tensor<8x131072xf32>) -> tensor<8x1xf32>
  return %3 : tensor<8x1xf32>
}
func.func @sum(%x: tensor<8x131072xf32>) -> tensor<8x1xf32> {
  %0 = graph.max %x dims = [1] keep : (tensor<8x131072xf32>) -> tensor<8x1xf32>
  %1:2 = example.sum_difference %x, %0 : (tensor<8x131072xf32>, tensor<8x1xf32>) -> (tensor<8x131072xf32>, tensor<8x131072xf32>)
  %2 = graph.exp %1#0 : tensor<8x131072xf32>
  %3 = graph.sum %2 dims = [1] keep : (tensor<8x131072xf32>) -> tensor<8x1xf32>
  return %3 : tensor<8x1xf32>
}
