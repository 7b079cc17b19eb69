// A constant that overflows or underflows in the narrow type stays f32 in mode
// cheapest, and is warned about in both modes. f16: largest 65504, smallest
// normal 2^-14 = 6.1e-5, smallest 2^-24 = 6e-8. bf16 has the range of f32.
// RUN: mpc-opt %s --split-input-file --mpc-autocast="precision=fp16" --mpc-verify-autocast 2>/dev/null | FileCheck %s
// RUN: mpc-opt %s --split-input-file --verify-diagnostics --mpc-autocast="precision=fp16" -o /dev/null

// A mask of -1e9: the select and what moves it stay f32 up to the softmax,
// which brings the values back into range.
// CHECK-LABEL: func.func @mask
// CHECK: %[[UP:.*]] = graph.cast %{{.*}} because "range: select stays f32, constant -1e+09 overflows f16"
// CHECK: graph.select %{{.*}}, %[[UP]], %{{.*}} -> tensor<8x8xf32>
// CHECK: graph.transpose {{.*}} -> tensor<8x8xf32>
// CHECK: graph.softmax %{{.*}} dim = 1 dtype = f16 : (tensor<8x8xf32>) -> tensor<8x8xf16>
func.func @mask(%x: tensor<8x8xf32> {graph.input = "x"}, %m: tensor<8x8xi1> {graph.input = "m"}) -> tensor<8x8xf32> {
  // expected-warning @below {{constant -1e+09 overflows f16: it stays f32, and so does graph.select}}
  %c = graph.constant dense<-1.0e9> : tensor<f32>
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-note @below {{used here}}
  %1 = graph.select %m, %0, %c : (tensor<8x8xi1>, tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %2 = graph.transpose %1 permutation = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = graph.softmax %2 dim = 1 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %4 = graph.matmul %3, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %4 : tensor<8x8xf32>
}

// -----

// The largest number of f32, as exporters write infinity in masks: the same, and nothing that a user could choose.
// CHECK-LABEL: func.func @exporters_mask
// CHECK: graph.select {{.*}} -> tensor<8x8xf32>
func.func @exporters_mask(%x: tensor<8x8xf32> {graph.input = "x"}, %m: tensor<8x8xi1> {graph.input = "m"}) -> tensor<8x8xf32> {
  %c = graph.constant dense<-3.40282347E+38> : tensor<f32>
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.select %m, %0, %c : (tensor<8x8xi1>, tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %2 = graph.softmax %1 dim = 1 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// -----

// An epsilon of 1e-8 is zero in f16: the add stays f32, the sum need not.
// CHECK-LABEL: func.func @epsilon
// CHECK: graph.add {{.*}} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
// CHECK: graph.cast %{{.*}} because "infer: tanh runs in f16 (fewest bytes)"
// CHECK: graph.tanh %{{.*}} : tensor<8x8xf16>
func.func @epsilon(%x: tensor<8x8xf32> {graph.input = "x"}) -> tensor<8x8xf32> {
  // expected-warning @below {{constant 1e-08 underflows f16: it stays f32, and so does graph.add}}
  %c = graph.constant dense<1.0e-8> : tensor<f32>
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-note @below {{used here}}
  %1 = graph.add %0, %c : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %2 = graph.tanh %1 : tensor<8x8xf32>
  %3 = graph.matmul %2, %2 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}

// -----

// A constant that is moved first is still that constant; an Allow op goes wide.
// CHECK-LABEL: func.func @moved
// CHECK: graph.matmul {{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
func.func @moved(%x: tensor<8x8xf32> {graph.input = "x"}) -> tensor<8x8xf32> {
  // expected-warning @below {{constant 100000 overflows f16: it stays f32, and so does graph.broadcast}}
  %c = graph.constant dense<[1.0, 2.0, 3.0, 100000.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  // expected-note @below {{used here}}
  %0 = graph.broadcast %c : (tensor<8xf32>) -> tensor<8x8xf32>
  %1 = graph.matmul %x, %0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

// 65504 and 2^-14 fit; 0.1 is rounded, which is no loss of range; 2^-24 is
// exact; infinity stays infinity; a Deny op reads f32 anyway.
// CHECK-LABEL: func.func @fits
// CHECK: graph.mul {{.*}} -> tensor<5xf16>
// CHECK: graph.pow
func.func @fits(%x: tensor<5x5xf32> {graph.input = "x"}) -> tensor<5xf32> {
  %c = graph.constant dense<[65504.0, 6.103515625e-05, 0.1, 5.9604644775390625e-08, 0x7F800000]> : tensor<5xf32>
  %big = graph.constant dense<1.0e9> : tensor<f32>
  %0 = graph.matmul %x, %x : (tensor<5x5xf32>, tensor<5x5xf32>) -> tensor<5x5xf32>
  %1 = graph.max %0 dims = [1] : (tensor<5x5xf32>) -> tensor<5xf32>
  %2 = graph.mul %1, %c : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  %3 = graph.tanh %2 : tensor<5xf32>
  %4 = graph.tanh %3 : tensor<5xf32>
  %5 = graph.pow %4, %big : (tensor<5xf32>, tensor<f32>) -> tensor<5xf32>
  return %5 : tensor<5xf32>
}

// -----

// A bound of clamp is such a constant, written as an attribute.
// CHECK-LABEL: func.func @bound
// CHECK: graph.clamp {{.*}} : tensor<8x8xf32>
func.func @bound(%x: tensor<8x8xf32> {graph.input = "x"}) -> tensor<8x8xf32> {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-warning @below {{constant 1e-08 underflows f16: graph.clamp stays f32}}
  %1 = graph.clamp %0 min = 1.0e-8 : tensor<8x8xf32>
  %2 = graph.log %1 : tensor<8x8xf32>
  %3 = graph.matmul %2, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}

// -----

// CHECK-LABEL: func.func @large_bound
// CHECK: graph.clamp {{.*}} : tensor<8x8xf32>
// CHECK: graph.transpose {{.*}} -> tensor<8x8xf32>
// CHECK: graph.softmax {{.*}} : (tensor<8x8xf32>) -> tensor<8x8xf16>
func.func @large_bound(%x: tensor<8x8xf32> {graph.input = "x"}) -> tensor<8x8xf32> {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-warning @below {{constant -100000 overflows f16: graph.clamp stays f32}}
  %1 = graph.clamp %0 min = -1.0e5 max = 6.0 : tensor<8x8xf32>
  %2 = graph.transpose %1 permutation = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = graph.softmax %2 dim = 1 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %4 = graph.matmul %3, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %4 : tensor<8x8xf32>
}

// -----

// What f16 holds stays narrow.
// CHECK-LABEL: func.func @small_bound
// CHECK: graph.clamp {{.*}} : tensor<8x8xf16>
func.func @small_bound(%x: tensor<8x8xf32> {graph.input = "x"}) -> tensor<8x8xf32> {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.clamp %0 min = 0.0 max = 6.0 : tensor<8x8xf32>
  %2 = graph.matmul %1, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// -----

// A mask of scores, which are f32, keeps its type: -1e9 costs nothing.
// CHECK-LABEL: func.func @attention_mask
// CHECK: graph.scaled_dot_product_attention {{.*}} : (tensor<1x4x2x8xf16>, tensor<1x4x2x8xf16>, tensor<1x4x2x8xf16>, tensor<4x4xf32>) -> (tensor<1x4x2x8xf16>, tensor<1x2x4xf32>)
func.func @attention_mask(%x: tensor<1x4x2x8xf32> {graph.input = "x"}, %m: tensor<4x4xi1> {graph.input = "m"}) -> tensor<1x4x2x8xf32> {
  // expected-warning @below {{constant -1e+09 overflows f16: it stays f32, and so does graph.select}}
  %no = graph.constant dense<-1.0e9> : tensor<f32>
  %yes = graph.constant dense<0.0> : tensor<f32>
  // expected-note @below {{used here}}
  %mask = graph.select %m, %yes, %no : (tensor<4x4xi1>, tensor<f32>, tensor<f32>) -> tensor<4x4xf32>
  %y, %l = graph.scaled_dot_product_attention %x, %x, %x mask %mask : (tensor<1x4x2x8xf32>, tensor<1x4x2x8xf32>, tensor<1x4x2x8xf32>, tensor<4x4xf32>) -> (tensor<1x4x2x8xf32>, tensor<1x2x4xf32>)
  return %y : tensor<1x4x2x8xf32>
}
