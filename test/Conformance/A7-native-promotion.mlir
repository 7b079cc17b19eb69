// A7: what no list names promotes: comparisons give i1, arithmetic and concat of
// f16 and f32 give f32.
// RUN: mpc-opt %s --mpc-autocast="mode=torch precision=fp16" --mpc-verify-autocast | FileCheck %s
// CHECK: %[[M:.*]] = graph.matmul {{.*}} -> tensor<8x8xf16>
// CHECK: graph.compare <eq> {{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xi1>
// CHECK: graph.compare <ge> {{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xi1>
// CHECK: graph.compare <gt> {{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xi1>
// CHECK: graph.compare <le> {{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xi1>
// CHECK: graph.compare <lt> {{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xi1>
// CHECK: graph.compare <ne> {{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xi1>
// CHECK: graph.cast %[[M]] because "fallthrough: add runs in f32"
// CHECK: graph.add {{.*}} -> tensor<8x8xf32>
// CHECK: graph.mul {{.*}} -> tensor<8x8xf32>
// CHECK: graph.div {{.*}} -> tensor<8x8xf32>
// CHECK: graph.concat {{.*}} -> tensor<16x8xf32>
// CHECK-NEXT: return
func.func @model(%x: tensor<8x8xf32> {graph.input = "x"})
    -> (tensor<8x8xi1>, tensor<8x8xi1>, tensor<8x8xi1>, tensor<8x8xi1>, tensor<8x8xi1>, tensor<8x8xi1>,
        tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<16x8xf32>) {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.compare <eq> %0, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xi1>
  %2 = graph.compare <ge> %0, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xi1>
  %3 = graph.compare <gt> %0, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xi1>
  %4 = graph.compare <le> %0, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xi1>
  %5 = graph.compare <lt> %0, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xi1>
  %6 = graph.compare <ne> %0, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xi1>
  %7 = graph.add %0, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %8 = graph.mul %0, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %9 = graph.div %0, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %10 = graph.concat %0, %x dim = 0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  return %1, %2, %3, %4, %5, %6, %7, %8, %9, %10 : tensor<8x8xi1>, tensor<8x8xi1>, tensor<8x8xi1>, tensor<8x8xi1>,
    tensor<8x8xi1>, tensor<8x8xi1>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<16x8xf32>
}
