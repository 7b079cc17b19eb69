// B2, TensorFlow's AlreadyFp16: what the user wrote in 16 bits stays. B16: so it
// does in bf16.
// RUN: mpc-opt %s --mpc-autocast="mode=tf precision=fp16" --mpc-verify-autocast | FileCheck %s
// RUN: sed 's/f16/bf16/g' %s > %t.mlir && mpc-opt %t.mlir --mpc-autocast="mode=tf precision=bf16" --mpc-verify-autocast | FileCheck %t.mlir
// CHECK-NOT: because
// CHECK: graph.cast {{.*}} -> tensor<32x32xf16>
// CHECK-NEXT: graph.matmul {{.*}} -> tensor<32x32xf16>
// CHECK-NEXT: graph.relu %{{.*}} : tensor<32x32xf16>
// CHECK-NEXT: graph.cast {{.*}} -> tensor<32x32xf32>
// CHECK-NEXT: graph.relu %{{.*}} : tensor<32x32xf32>
// CHECK-NOT: because
func.func @model(%x: tensor<32x32xf32> {graph.input = "x"}) -> tensor<32x32xf32> {
  %cst1 = graph.cast %x : (tensor<32x32xf32>) -> tensor<32x32xf16>
  %allow1 = graph.matmul %cst1, %cst1 : (tensor<32x32xf16>, tensor<32x32xf16>) -> tensor<32x32xf16>
  %clr1 = graph.relu %allow1 : tensor<32x32xf16>
  %cst2 = graph.cast %clr1 : (tensor<32x32xf16>) -> tensor<32x32xf32>
  %clr2 = graph.relu %cst2 : tensor<32x32xf32>
  %fetch = graph.reshape %clr2 : (tensor<32x32xf32>) -> tensor<32x32xf32>
  return %fetch : tensor<32x32xf32>
}
