// B10, TensorFlow's ExistingCast: a cast whose readers are all narrow gives 16
// bits itself; one cast more, at the fetch. With a reader that is wide it stays.
// RUN: mpc-opt %s --split-input-file --mpc-autocast="mode=tf precision=fp16" --mpc-verify-autocast | FileCheck %s
// RUN: mpc-opt %s --split-input-file --mpc-autocast="mode=tf precision=fp16" --remarks-filter=mpc-autocast -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: result from f32 to f16 because allow: cast gives f16, as all its readers run in it
// CHECK-LABEL: func.func @retargeted
// CHECK-NEXT: graph.cast %{{.*}} : (tensor<32x32xi1>) -> tensor<32x32xf16>
// CHECK-NEXT: graph.matmul {{.*}} -> tensor<32x32xf16>
// CHECK-NEXT: graph.cast %{{.*}} because
// CHECK-NEXT: graph.reshape
// CHECK-NEXT: return
func.func @retargeted(%x: tensor<32x32xi1> {graph.input = "x"}) -> tensor<32x32xf32> {
  %cst1 = graph.cast %x : (tensor<32x32xi1>) -> tensor<32x32xf32>
  %allow1 = graph.matmul %cst1, %cst1 : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %fetch = graph.reshape %allow1 : (tensor<32x32xf32>) -> tensor<32x32xf32>
  return %fetch : tensor<32x32xf32>
}

// -----

// CHECK-LABEL: func.func @wide_reader
// CHECK-NEXT: graph.cast %{{.*}} : (tensor<32x32xi1>) -> tensor<32x32xf32>
// CHECK-NEXT: graph.cast %{{.*}} because "allow: matmul runs in f16"
func.func @wide_reader(%x: tensor<32x32xi1> {graph.input = "x"}) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
  %cst1 = graph.cast %x : (tensor<32x32xi1>) -> tensor<32x32xf32>
  %allow1 = graph.matmul %cst1, %cst1 : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %deny1 = graph.exp %cst1 : tensor<32x32xf32>
  %fetch = graph.reshape %allow1 : (tensor<32x32xf32>) -> tensor<32x32xf32>
  return %fetch, %deny1 : tensor<32x32xf32>, tensor<32x32xf32>
}
