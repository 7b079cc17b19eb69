// B3, TensorFlow's Simple (SparseMatMul, an op of list deny, is pow here): deny
// reaches the last infer op of its chain and not the clear op after it; two
// casts; values within 5e-4. B16: the same with the bf16 lists.
// RUN: mpc-opt %s --mpc-autocast="mode=tf precision=fp16" --mpc-verify-autocast | FileCheck %s -DT=f16
// RUN: mpc-opt %s --mpc-autocast="mode=tf precision=bf16" --mpc-verify-autocast | FileCheck %s -DT=bf16
// RUN: mpc-opt %s --mpc-autocast="mode=tf precision=fp16" | graph-eval - --function=model --rounded --compare=%s --low=0.01 --high=0.03125 --rtol=5e-4 --atol=0
// CHECK: graph.exp %{{.*}} : tensor<32x32xf32>
// CHECK-NEXT: graph.relu %{{.*}} : tensor<32x32xf32>
// CHECK-NEXT: graph.sqrt %{{.*}} : tensor<32x32xf32>
// CHECK-NEXT: graph.cast %{{.*}} because "clear: relu runs in [[T]]" : (tensor<32x32xf32>) -> tensor<32x32x[[T]]>
// CHECK-NEXT: graph.relu %{{.*}} : tensor<32x32x[[T]]>
// CHECK-NEXT: graph.matmul {{.*}} -> tensor<32x32x[[T]]>
// CHECK-NEXT: graph.relu %{{.*}} : tensor<32x32x[[T]]>
// CHECK-NEXT: graph.cast %{{.*}} because "infer: log runs in f32 (not between allow ops)" : (tensor<32x32x[[T]]>) -> tensor<32x32xf32>
// CHECK-NEXT: graph.log %{{.*}} : tensor<32x32xf32>
// CHECK-NEXT: graph.relu %{{.*}} : tensor<32x32xf32>
// CHECK-NEXT: graph.pow {{.*}} -> tensor<32x32xf32>
// CHECK-NEXT: graph.relu %{{.*}} : tensor<32x32xf32>
// CHECK-NEXT: graph.reshape
// CHECK-NEXT: return
func.func @model(%x: tensor<32x32xf32> {graph.input = "x"}) -> tensor<32x32xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %deny1 = graph.exp %x : tensor<32x32xf32>
  %clr1 = graph.relu %deny1 : tensor<32x32xf32>
  %infer1 = graph.sqrt %clr1 : tensor<32x32xf32>
  %clr2 = graph.relu %infer1 : tensor<32x32xf32>
  %allow1 = graph.matmul %clr2, %clr2 : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %clr3 = graph.relu %allow1 : tensor<32x32xf32>
  %infer2 = graph.log %clr3 : tensor<32x32xf32>
  %clr4 = graph.relu %infer2 : tensor<32x32xf32>
  %deny2 = graph.pow %clr4, %half : (tensor<32x32xf32>, tensor<f32>) -> tensor<32x32xf32>
  %clr5 = graph.relu %deny2 : tensor<32x32xf32>
  %fetch = graph.reshape %clr5 : (tensor<32x32xf32>) -> tensor<32x32xf32>
  return %fetch : tensor<32x32xf32>
}
