// B6, TensorFlow's PreserveCPUNodes, in its nearest form: an allow op that may
// not be processed. There it is pinned to the CPU; here, where a function runs
// on one target, it is fetched. An infer op in front of it follows no allow op
// that was painted and stays f32: one cast down, one up.
// RUN: mpc-opt %s --mpc-autocast="mode=tf precision=fp16" --mpc-verify-autocast | FileCheck %s
// CHECK: func.func
// CHECK-NEXT: graph.cast %{{.*}} because "clear: relu runs in f16"
// CHECK-NEXT: graph.relu %{{.*}} : tensor<32x32xf16>
// CHECK-NEXT: graph.matmul {{.*}} -> tensor<32x32xf16>
// CHECK-NEXT: graph.cast %{{.*}} because "infer: tanh runs in f32 (not between allow ops)"
// CHECK-NEXT: graph.tanh %{{.*}} : tensor<32x32xf32>
// CHECK-NEXT: graph.matmul {{.*}} -> tensor<32x32xf32>
// CHECK-NEXT: graph.relu %{{.*}} : tensor<32x32xf32>
// CHECK-NEXT: return
func.func @model(%x: tensor<32x32xf32> {graph.input = "x"}) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
  %clr1 = graph.relu %x : tensor<32x32xf32>
  %allow1 = graph.matmul %clr1, %clr1 : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %infer1 = graph.tanh %allow1 : tensor<32x32xf32>
  %allow2 = graph.matmul %infer1, %infer1 : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %clr2 = graph.relu %allow2 : tensor<32x32xf32>
  return %allow2, %clr2 : tensor<32x32xf32>, tensor<32x32xf32>
}
