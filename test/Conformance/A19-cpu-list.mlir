// A19: the list for CPUs is another one. Losses stay f32; softmax, exp, log,
// layer_norm and sum run in the type that they get; concat promotes. (Its
// grid_sampler, prod and cdist have no op here.)
// RUN: mpc-opt %s --mpc-autocast="mode=torch lists=cpu precision=bf16" --mpc-verify-autocast | FileCheck %s
// CHECK: %[[M:.*]] = graph.matmul {{.*}} -> tensor<8x8xbf16>
// CHECK-NEXT: %[[S:.*]] = graph.softmax %[[M]] dim = 1 : (tensor<8x8xbf16>) -> tensor<8x8xbf16>
// CHECK-NEXT: graph.exp %[[S]] : tensor<8x8xbf16>
// CHECK-NEXT: graph.log %{{.*}} : tensor<8x8xbf16>
// CHECK-NEXT: graph.layer_norm {{.*}} -> tensor<8x8xbf16>
// CHECK-NEXT: graph.sum %{{.*}} dims = [1] : (tensor<8x8xbf16>) -> tensor<8xbf16>
// CHECK: graph.concat {{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
// CHECK: graph.mse {{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<f32>
// CHECK: graph.binary_cross_entropy {{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<f32>
func.func @model(%x: tensor<8x8xf32> {graph.input = "x"})
    -> (tensor<8xf32>, tensor<16x8xf32>, tensor<f32>, tensor<f32>) {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.softmax %0 dim = 1 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = graph.exp %1 : tensor<8x8xf32>
  %3 = graph.log %2 : tensor<8x8xf32>
  %4 = graph.layer_norm %3 first_dim = 1 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %5 = graph.sum %4 dims = [1] : (tensor<8x8xf32>) -> tensor<8xf32>
  %6 = graph.concat %1, %x dim = 0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  %7 = graph.mse %1, %2 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<f32>
  %8 = graph.binary_cross_entropy %1, %2 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<f32>
  return %5, %6, %7, %8 : tensor<8xf32>, tensor<16x8xf32>, tensor<f32>, tensor<f32>
}
