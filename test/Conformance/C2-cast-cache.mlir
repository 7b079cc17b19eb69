// C2, from the tests of TVM's older pass (Relay): constants that clip, the
// cache of casts, and results in their declared types (keep_orig_output_dtype).
// The categories of its functions are our words: lists.test and
// autocast-policies.mlir hold every op to them.
// RUN: mpc-opt %s --split-input-file --mpc-autocast=precision=fp16 --mpc-fold-casts --cse 2>/dev/null | FileCheck %s

// clip: bounds of 1e6 do not fit f16, so the clip stays f32; bounds that fit
// follow the product.
// CHECK-LABEL: func.func @clip(
// CHECK: %[[M:.*]] = graph.matmul
// CHECK-DAG: %[[S1:.*]] = graph.minimum %{{.*}} -> tensor<8x8xf16>
// CHECK-DAG: graph.maximum %{{.*}} -> tensor<8x8xf16>
// CHECK-DAG: graph.minimum %{{.*}} -> tensor<8x8xf32>
// CHECK-DAG: graph.maximum %{{.*}} -> tensor<8x8xf32>
func.func @clip(%x: tensor<8x8xf32> {graph.input = "x"}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %low = graph.constant dense<-1.0e6> : tensor<f32>
  %high = graph.constant dense<1.0e6> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %minus = graph.constant dense<-1.0> : tensor<f32>
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.minimum %0, %one : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %2 = graph.maximum %1, %minus : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %3 = graph.matmul %2, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %4 = graph.minimum %0, %high : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %5 = graph.maximum %4, %low : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  return %3, %5 : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// The cast of a cast of x, back to x's type, is x.
// CHECK-LABEL: func.func @cast_cache(
// CHECK-SAME: %[[X:.*]]: tensor<8x8xf16>
// CHECK-NEXT: graph.matmul %[[X]], %[[X]]
// CHECK-NEXT: return %
func.func @cast_cache(%x: tensor<8x8xf16> {graph.input = "x"}) -> tensor<8x8xf16> {
  %0 = graph.cast %x because "an earlier pass" : (tensor<8x8xf16>) -> tensor<8x8xf32>
  %1 = graph.matmul %0, %0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = graph.cast %1 because "an earlier pass" : (tensor<8x8xf32>) -> tensor<8x8xf16>
  return %2 : tensor<8x8xf16>
}

// -----

// The function's type never changes.
// CHECK-LABEL: func.func @keep_output_type(
// CHECK-SAME: -> (tensor<8x8xf32>, tensor<8x8xf16>)
func.func @keep_output_type(%x: tensor<8x8xf32> {graph.input = "x"}) -> (tensor<8x8xf32>, tensor<8x8xf16>) {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.cast %0 : (tensor<8x8xf32>) -> tensor<8x8xf16>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf16>
}
