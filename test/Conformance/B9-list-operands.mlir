// B9, TensorFlow's RepeatedAndListTypeAttrs: an op with a list of operands
// (IdentityN there, concat here), one value three times in it: all narrow, and
// two casts.
// RUN: mpc-opt %s --mpc-autocast="mode=tf precision=fp16" --mpc-verify-autocast | FileCheck %s
// RUN: mpc-opt %s --mpc-autocast="mode=tf precision=bf16" --mpc-verify-autocast | FileCheck %s
// CHECK: func.func
// CHECK-NEXT: graph.cast %{{.*}} because
// CHECK-NEXT: graph.matmul {{.*}} -> tensor<32x32x{{b?}}f16>
// CHECK-NEXT: graph.concat {{.*}} -> tensor<96x32x{{b?}}f16>
// CHECK-NEXT: graph.slice {{.*}} -> tensor<32x32x{{b?}}f16>
// CHECK-NEXT: graph.slice {{.*}} -> tensor<32x32x{{b?}}f16>
// CHECK-NEXT: graph.slice {{.*}} -> tensor<32x32x{{b?}}f16>
// CHECK-NEXT: graph.add {{.*}} -> tensor<32x32x{{b?}}f16>
// CHECK-NEXT: graph.add {{.*}} -> tensor<32x32x{{b?}}f16>
// CHECK-NEXT: graph.matmul {{.*}} -> tensor<32x32x{{b?}}f16>
// CHECK-NEXT: graph.cast %{{.*}} because
// CHECK-NEXT: graph.reshape
// CHECK-NEXT: return
func.func @model(%x: tensor<32x32xf32> {graph.input = "x"}) -> tensor<32x32xf32> {
  %allow1 = graph.matmul %x, %x : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %clr1 = graph.concat %allow1, %allow1, %allow1 dim = 0 : (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<96x32xf32>
  %a = graph.slice %clr1 offsets = [0, 0] sizes = [32, 32] : (tensor<96x32xf32>) -> tensor<32x32xf32>
  %b = graph.slice %clr1 offsets = [32, 0] sizes = [32, 32] : (tensor<96x32xf32>) -> tensor<32x32xf32>
  %c = graph.slice %clr1 offsets = [64, 0] sizes = [32, 32] : (tensor<96x32xf32>) -> tensor<32x32xf32>
  %ab = graph.add %a, %b : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %infer1 = graph.add %ab, %c : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %allow2 = graph.matmul %infer1, %infer1 : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %fetch = graph.reshape %allow2 : (tensor<32x32xf32>) -> tensor<32x32xf32>
  return %fetch : tensor<32x32xf32>
}
