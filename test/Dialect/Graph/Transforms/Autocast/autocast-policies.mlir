// What each of the six words makes of an op between two matmuls.
// RUN: mpc-opt %s --split-input-file --mpc-autocast="precision=fp16" --mpc-verify-autocast | FileCheck %s
// RUN: mpc-opt %s --split-input-file --mpc-autocast="precision=bf16" --mpc-verify-autocast | FileCheck %s --check-prefix=BF16

// Allow is narrow even if nothing around it is.
// CHECK-LABEL: func.func @allow
// CHECK: graph.matmul {{.*}} -> tensor<8x8xf16>
// BF16-LABEL: func.func @allow
// BF16: graph.matmul {{.*}} -> tensor<8x8xbf16>
func.func @allow(%x: tensor<8x8xf32> {graph.input = "x"}) -> tensor<8x8xf32> {
  %0 = graph.exp %x : tensor<8x8xf32>
  %1 = graph.matmul %0, %0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = graph.exp %1 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// -----

// Deny is wide even between two narrow ops.
// CHECK-LABEL: func.func @deny
// CHECK: %[[UP:.*]] = graph.cast %{{.*}} because "deny: exp runs in f32"
// CHECK: %[[E:.*]] = graph.exp %[[UP]] : tensor<8x8xf32>
// CHECK: graph.cast %[[E]] because "allow: matmul runs in f16"
// BF16-LABEL: func.func @deny
// BF16: graph.exp %{{.*}} : tensor<8x8xf32>
func.func @deny(%x: tensor<8x8xf32> {graph.input = "x"}) -> tensor<8x8xf32> {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.exp %0 : tensor<8x8xf32>
  %2 = graph.matmul %1, %1 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// -----

// DenyIO, Infer and Clear take and give 16 bits between two narrow ops.
// CHECK-LABEL: func.func @narrow_chain
// CHECK: graph.layer_norm %{{.*}} first_dim = 1 : (tensor<8x8xf16>) -> tensor<8x8xf16>
// CHECK: graph.tanh %{{.*}} : tensor<8x8xf16>
// CHECK: graph.transpose %{{.*}} -> tensor<8x8xf16>
// BF16-LABEL: func.func @narrow_chain
// BF16: graph.layer_norm {{.*}} -> tensor<8x8xbf16>
func.func @narrow_chain(%x: tensor<8x8xf32> {graph.input = "x"}) -> tensor<8x8xf32> {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.layer_norm %0 first_dim = 1 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = graph.tanh %1 : tensor<8x8xf32>
  %3 = graph.transpose %2 permutation = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %4 = graph.matmul %3, %3 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %4 : tensor<8x8xf32>
}

// -----

// They stay wide between two wide ops: a cast down and one up would cost more
// than running at half the width saves.
// CHECK-LABEL: func.func @wide_chain
// CHECK-NOT: graph.cast
// CHECK: return
func.func @wide_chain(%x: tensor<8x8xf32> {graph.input = "x"}) -> tensor<8x8xf32> {
  %0 = graph.exp %x : tensor<8x8xf32>
  %1 = graph.layer_norm %0 first_dim = 1 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = graph.tanh %1 : tensor<8x8xf32>
  %3 = graph.exp %2 : tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}

// -----

// Promote: all float operands at one type, here the wide one, as the second
// operand comes from a Deny op and the result goes to another.
// CHECK-LABEL: func.func @promote
// CHECK: graph.maximum {{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: graph.exp
func.func @promote(%x: tensor<8x8xf32> {graph.input = "x"}) -> tensor<8x8xf32> {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.exp %x : tensor<8x8xf32>
  %2 = graph.maximum %0, %1 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = graph.exp %2 : tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}

// -----

// A user's bf16 values and the region's f16: the bf16 part keeps its type,
// Deny inside it goes to f32, and the two meet only where the user cast.
// CHECK-LABEL: func.func @two_types
// CHECK: graph.relu %{{.*}} : tensor<8x8xbf16>
// CHECK: graph.cast %{{.*}} because "deny: exp runs in f32" : (tensor<8x8xbf16>) -> tensor<8x8xf32>
// CHECK: graph.exp %{{.*}} : tensor<8x8xf32>
// CHECK: graph.cast %{{.*}} : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK: graph.matmul {{.*}} -> tensor<8x8xf16>
func.func @two_types(%x: tensor<8x8xf32> {graph.input = "x"}) -> tensor<8x8xf32> {
  %0 = graph.cast %x : (tensor<8x8xf32>) -> tensor<8x8xbf16>
  %1 = graph.relu %0 : tensor<8x8xbf16>
  %2 = graph.exp %1 : tensor<8x8xbf16>
  %3 = graph.cast %2 : (tensor<8x8xbf16>) -> tensor<8x8xf32>
  %4 = graph.matmul %3, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %4 : tensor<8x8xf32>
}

// -----

// A stop has its operand's type, whatever that is, and no cast is for its sake.
// CHECK-LABEL: func.func @stops
// CHECK: %[[M:.*]] = graph.matmul {{.*}} -> tensor<8x8xf16>
// CHECK: %[[S:.*]] = graph.stop_gradient %[[M]] : tensor<8x8xf16>
// CHECK: graph.matmul %[[S]], %[[S]]
// CHECK: %[[E:.*]] = graph.exp %{{.*}} : tensor<8x8xf32>
// CHECK: graph.stop_gradient %[[E]] : tensor<8x8xf32>
// CHECK-NEXT: graph.exp
// BF16-LABEL: func.func @stops
// BF16: graph.stop_gradient %{{.*}} : tensor<8x8xbf16>
// BF16: graph.stop_gradient %{{.*}} : tensor<8x8xf32>
func.func @stops(%x: tensor<8x8xf32> {graph.input = "x"}) -> tensor<8x8xf32> {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.stop_gradient %0 : tensor<8x8xf32>
  %2 = graph.matmul %1, %1 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = graph.exp %2 : tensor<8x8xf32>
  %4 = graph.stop_gradient %3 : tensor<8x8xf32>
  %5 = graph.exp %4 : tensor<8x8xf32>
  return %5 : tensor<8x8xf32>
}
