// B5, TensorFlow's PreserveFetches: allow1, clr2 and clr3 are returned and stay
// f32; allow2 alone is narrow, between two casts; values within 5e-3.
// RUN: mpc-opt %s --mpc-autocast="mode=tf precision=fp16" --mpc-verify-autocast | FileCheck %s
// RUN: mpc-opt %s --mpc-autocast="mode=tf precision=fp16" | graph-eval - --function=model --rounded --compare=%s --low=0 --high=0.0625 --rtol=5e-3 --atol=0
// CHECK: func.func
// CHECK-NEXT: graph.matmul {{.*}} -> tensor<32x32xf32>
// CHECK-NEXT: graph.relu %{{.*}} : tensor<32x32xf32>
// CHECK-NEXT: graph.sqrt %{{.*}} : tensor<32x32xf32>
// CHECK-NEXT: graph.exp %{{.*}} : tensor<32x32xf32>
// CHECK-NEXT: graph.relu %{{.*}} : tensor<32x32xf32>
// CHECK-NEXT: graph.cast %{{.*}} because "allow: matmul runs in f16"
// CHECK-NEXT: graph.matmul {{.*}} -> tensor<32x32xf16>
// CHECK-NEXT: graph.cast %{{.*}} because "clear: relu runs in f32 (fetched: its result is returned)"
// CHECK-NEXT: graph.relu %{{.*}} : tensor<32x32xf32>
// CHECK-NEXT: graph.exp %{{.*}} : tensor<32x32xf32>
// CHECK-NEXT: graph.relu %{{.*}} : tensor<32x32xf32>
// CHECK-NEXT: return
func.func @model(%x: tensor<32x32xf32> {graph.input = "x"})
    -> (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) {
  %allow1 = graph.matmul %x, %x : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %clr1 = graph.relu %allow1 : tensor<32x32xf32>
  %infer1 = graph.sqrt %clr1 : tensor<32x32xf32>
  %deny1 = graph.exp %infer1 : tensor<32x32xf32>
  %clr2 = graph.relu %deny1 : tensor<32x32xf32>
  %allow2 = graph.matmul %clr2, %clr2 : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %clr3 = graph.relu %allow2 : tensor<32x32xf32>
  %deny2 = graph.exp %clr3 : tensor<32x32xf32>
  %clr4 = graph.relu %deny2 : tensor<32x32xf32>
  return %allow1, %clr2, %clr3 : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
}
