// B16, TensorFlow's bf16 mode: an infer op at the tail of an allow chain is
// converted (step 4), and so is one after it; mean and sum follow their
// neighbours, where the fp16 lists deny them. Its NoOp, AlreadyBf16, Simple and
// BidirectionalClearChain are the files B1 to B4.
// RUN: mpc-opt %s --split-input-file --mpc-autocast="mode=tf precision=bf16" --mpc-verify-autocast | FileCheck %s
// RUN: mpc-opt %s --split-input-file --mpc-autocast="mode=tf precision=fp16" --mpc-verify-autocast | FileCheck %s --check-prefix=FP16
// CHECK-LABEL: func.func @tail
// CHECK: graph.matmul {{.*}} -> tensor<32x32xbf16>
// CHECK-NEXT: graph.add {{.*}} -> tensor<32x32xbf16>
// CHECK-NEXT: graph.tanh %{{.*}} : tensor<32x32xbf16>
// CHECK-NEXT: graph.cast {{.*}} -> tensor<32x32xf32>
// CHECK-NEXT: graph.reshape
// FP16-LABEL: func.func @tail
// FP16: graph.matmul {{.*}} -> tensor<32x32xf16>
// FP16-NEXT: graph.cast {{.*}} because "infer: add runs in f32 (not between allow ops)"
// FP16-NEXT: graph.add {{.*}} -> tensor<32x32xf32>
// FP16-NEXT: graph.tanh %{{.*}} : tensor<32x32xf32>
func.func @tail(%x: tensor<32x32xf32> {graph.input = "x"}, %b: tensor<32xf32> {graph.parameter = "b"}) -> tensor<32x32xf32> {
  %allow1 = graph.matmul %x, %x : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %infer1 = graph.add %allow1, %b : (tensor<32x32xf32>, tensor<32xf32>) -> tensor<32x32xf32>
  %infer2 = graph.tanh %infer1 : tensor<32x32xf32>
  %fetch = graph.reshape %infer2 : (tensor<32x32xf32>) -> tensor<32x32xf32>
  return %fetch : tensor<32x32xf32>
}

// -----

// A DENY operand stops step 4.
// CHECK-LABEL: func.func @deny_operand
// CHECK: graph.add {{.*}} -> tensor<32x32xf32>
func.func @deny_operand(%x: tensor<32x32xf32> {graph.input = "x"}) -> tensor<32x32xf32> {
  %deny1 = graph.exp %x : tensor<32x32xf32>
  %allow1 = graph.matmul %x, %x : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %infer1 = graph.add %allow1, %deny1 : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %fetch = graph.reshape %infer1 : (tensor<32x32xf32>) -> tensor<32x32xf32>
  return %fetch : tensor<32x32xf32>
}

// -----

// CHECK-LABEL: func.func @mean_and_sum
// CHECK: graph.mean {{.*}} -> tensor<32x1xbf16>
// CHECK: graph.sum {{.*}} -> tensor<32x1xbf16>
// CHECK: graph.matmul
// FP16-LABEL: func.func @mean_and_sum
// FP16: graph.cast {{.*}} because "deny: mean runs in f32"
// FP16: graph.mean {{.*}} -> tensor<32x1xf32>
// FP16: graph.sum {{.*}} -> tensor<32x1xf32>
func.func @mean_and_sum(%x: tensor<32x32xf32> {graph.input = "x"}) -> tensor<1x1xf32> {
  %allow1 = graph.matmul %x, %x : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %mean = graph.mean %allow1 dims = [1] keep : (tensor<32x32xf32>) -> tensor<32x1xf32>
  %sum = graph.sum %allow1 dims = [1] keep : (tensor<32x32xf32>) -> tensor<32x1xf32>
  %allow2 = graph.matmul %mean, %sum transpose_lhs : (tensor<32x1xf32>, tensor<32x1xf32>) -> tensor<1x1xf32>
  %fetch = graph.reshape %allow2 : (tensor<1x1xf32>) -> tensor<1x1xf32>
  return %fetch : tensor<1x1xf32>
}
