// Mode torch with the lists of Apex O1 (apex/amp/lists, apex/amp/wrap.py).
// RUN: mpc-opt %s --split-input-file --mpc-autocast="mode=torch lists=apex precision=fp16" --mpc-verify-autocast | FileCheck %s

// Functions of the fp16 list take f16, those of the fp32 list f32, softmax and
// gelu among them.
// CHECK-LABEL: func.func @lists
// CHECK-SAME: graph.autocast = {lists = "apex", mode = "torch", precision = "fp16"}
// CHECK: graph.matmul {{.*}} -> tensor<8x8xf16>
// CHECK: graph.cast {{.*}} because "fp32: softmax runs in f32"
// CHECK: graph.softmax {{.*}} (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK: graph.cast {{.*}} because "fp32: gelu runs in f32"
// CHECK: graph.gelu %{{.*}} : tensor<8x8xf32>
// CHECK: graph.tanh %{{.*}} : tensor<8x8xf16>
func.func @lists(%x: tensor<8x8xf32> {graph.input = "x"}) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.softmax %0 dim = 1 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = graph.gelu %0 : tensor<8x8xf32>
  %3 = graph.tanh %0 : tensor<8x8xf32>
  return %1, %2, %3 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// CASTS: two types become the widest, one type stays; a number does not vote.
// CHECK-LABEL: func.func @widest
// CHECK: %[[M:.*]] = graph.matmul {{.*}} -> tensor<8x8xf16>
// CHECK: graph.add %[[M]], %[[M]] : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
// CHECK: graph.cast %[[M]] because "promote: mul runs in f32"
// CHECK: graph.mul {{.*}} -> tensor<8x8xf32>
// CHECK: graph.cast %[[M]] because "promote: compare runs in f32"
// CHECK: graph.compare {{.*}} (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xi1>
// CHECK: graph.mul {{.*}} -> tensor<8x8xf16>
func.func @widest(%x: tensor<8x8xf32> {graph.input = "x"})
    -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xi1>, tensor<8x8xf32>) {
  %two = graph.constant dense<2.0> : tensor<f32>
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.add %0, %0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = graph.mul %0, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = graph.compare <lt> %0, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xi1>
  %4 = graph.mul %0, %two : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  return %1, %2, %3, %4 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xi1>, tensor<8x8xf32>
}

// -----

// SEQUENCE_CASTS: the same for a list of tensors.
// CHECK-LABEL: func.func @sequence
// CHECK: graph.cast {{.*}} because "promote: concat runs in f32"
// CHECK: graph.concat {{.*}} -> tensor<16x8xf32>
// CHECK: graph.concat {{.*}} -> tensor<16x8xf16>
func.func @sequence(%x: tensor<8x8xf32> {graph.input = "x"}) -> (tensor<16x8xf32>, tensor<16x8xf32>) {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.concat %0, %x dim = 0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  %2 = graph.concat %0, %0 dim = 0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  return %1, %2 : tensor<16x8xf32>, tensor<16x8xf32>
}

// -----

// A third type alone is left as it is (PyTorch's promote refuses it).
// CHECK-LABEL: func.func @third_type
// CHECK: graph.add {{.*}} -> tensor<8xbf16>
func.func @third_type(%x: tensor<8xf32> {graph.input = "x"}) -> tensor<8xbf16> {
  %0 = graph.cast %x : (tensor<8xf32>) -> tensor<8xbf16>
  %1 = graph.add %0, %0 : (tensor<8xbf16>, tensor<8xbf16>) -> tensor<8xbf16>
  return %1 : tensor<8xbf16>
}

// -----

// f64 and integers are not touched (Apex would cast f64).
// CHECK-LABEL: func.func @ignored_types
// CHECK-NOT: graph.cast
func.func @ignored_types(%x: tensor<8x8xf64> {graph.input = "x"}, %i: tensor<8xi32> {graph.input = "i"})
    -> (tensor<8x8xf64>, tensor<8x8xf64>, tensor<8xi32>) {
  %0 = graph.matmul %x, %x : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
  %1 = graph.exp %0 : tensor<8x8xf64>
  %2 = graph.add %i, %i : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  return %0, %1, %2 : tensor<8x8xf64>, tensor<8x8xf64>, tensor<8xi32>
}
