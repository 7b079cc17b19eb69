// B13, TensorFlow's BatchMatMul: a batched product is converted like a plain
// one. There a version gate of the toolkit decides; here a type that a target's
// products do not compute with is widened inside them (autocast-widened.mlir).
// RUN: mpc-opt %s --mpc-autocast="mode=tf precision=fp16" --mpc-verify-autocast | FileCheck %s
// RUN: mpc-opt %s --mpc-autocast="mode=tf precision=bf16" --mpc-verify-autocast | sed s/bf16/f16/g | FileCheck %s
// CHECK: func.func
// CHECK-NEXT: graph.cast %{{.*}} because "allow: matmul runs in f16"
// CHECK-NEXT: graph.matmul {{.*}} -> tensor<64x32x32xf16>
// CHECK-NEXT: graph.cast {{.*}} -> tensor<64x32x32xf32>
func.func @model(%x: tensor<64x32x32xf32> {graph.input = "x"}) -> tensor<64x32x32xf32> {
  %allow1 = graph.matmul %x, %x : (tensor<64x32x32xf32>, tensor<64x32x32xf32>) -> tensor<64x32x32xf32>
  %fetch = graph.reshape %allow1 : (tensor<64x32x32xf32>) -> tensor<64x32x32xf32>
  return %fetch : tensor<64x32x32xf32>
}
