// C7, from XLA's bfloat16_conversion_folding_test.cc: converts around an op
// fold into it if it computes in f32 whatever its types are.
// RUN: mpc-opt %s --split-input-file --mpc-fold-casts=rounding=strict --cse | FileCheck %s

// Supported: up before and down after, and the op is the bf16 op.
// CHECK-LABEL: func.func @fold(
// CHECK-NEXT: graph.gelu_backward {{.*}} : (tensor<8xbf16>, tensor<8xbf16>) -> tensor<8xbf16>
// CHECK-NEXT: return %
func.func @fold(%dy: tensor<8xbf16>, %x: tensor<8xbf16>) -> tensor<8xbf16> {
  %0 = graph.cast %dy because "up" : (tensor<8xbf16>) -> tensor<8xf32>
  %1 = graph.cast %x because "up" : (tensor<8xbf16>) -> tensor<8xf32>
  %2 = graph.gelu_backward %0, %1 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %3 = graph.cast %2 because "down" : (tensor<8xf32>) -> tensor<8xbf16>
  return %3 : tensor<8xbf16>
}

// -----

// Not supported: exp must be f32, inside and out.
// CHECK-LABEL: func.func @unsupported(
// CHECK-NEXT: graph.cast
// CHECK-NEXT: graph.exp {{.*}}: tensor<8xf32>
// CHECK-NEXT: graph.cast
// CHECK-NEXT: return %
func.func @unsupported(%x: tensor<8xbf16>) -> tensor<8xbf16> {
  %0 = graph.cast %x because "up" : (tensor<8xbf16>) -> tensor<8xf32>
  %1 = graph.exp %0 : tensor<8xf32>
  %2 = graph.cast %1 because "down" : (tensor<8xf32>) -> tensor<8xbf16>
  return %2 : tensor<8xbf16>
}

// -----

// Mixed precision not supported: one operand is f32 for itself, or comes from
// another 16-bit type.
// CHECK-LABEL: func.func @mixed(
// CHECK: graph.gelu_backward {{.*}} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
// CHECK: graph.gelu_backward {{.*}} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
func.func @mixed(%dy: tensor<8xf32>, %x: tensor<8xbf16>, %h: tensor<8xf16>) -> (tensor<8xbf16>, tensor<8xbf16>) {
  %0 = graph.cast %x because "up" : (tensor<8xbf16>) -> tensor<8xf32>
  %1 = graph.gelu_backward %dy, %0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %2 = graph.cast %1 because "down" : (tensor<8xf32>) -> tensor<8xbf16>
  %3 = graph.cast %h because "up" : (tensor<8xf16>) -> tensor<8xf32>
  %4 = graph.gelu_backward %3, %0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %5 = graph.cast %4 because "down" : (tensor<8xf32>) -> tensor<8xbf16>
  return %2, %5 : tensor<8xbf16>, tensor<8xbf16>
}

// -----

// The f32 result has another reader: nothing folds.
// CHECK-LABEL: func.func @other_reader(
// CHECK: graph.gelu {{.*}}: tensor<8xf32>
func.func @other_reader(%x: tensor<8xbf16>) -> (tensor<8xbf16>, tensor<8xf32>) {
  %0 = graph.cast %x because "up" : (tensor<8xbf16>) -> tensor<8xf32>
  %1 = graph.gelu %0 : tensor<8xf32>
  %2 = graph.cast %1 because "down" : (tensor<8xf32>) -> tensor<8xbf16>
  return %2, %1 : tensor<8xbf16>, tensor<8xf32>
}

// -----

// A collective rounds nothing by itself: its converts stay. (XLA folds them
// into an all-reduce; then the sum over ranks is rounded at each step.)
// CHECK-LABEL: func.func @all_reduce(
// CHECK-NEXT: graph.cast
// CHECK-NEXT: graph.all_reduce {{.*}} -> tensor<8xf32>
// CHECK-NEXT: graph.cast
// CHECK-NEXT: return %
func.func @all_reduce(%x: tensor<8xbf16>) -> tensor<8xbf16> {
  %0 = graph.cast %x because "up" : (tensor<8xbf16>) -> tensor<8xf32>
  %1 = graph.all_reduce #graph.reduce_kind<average> %0 group = "data" bucket = 0 : (tensor<8xf32>) -> tensor<8xf32>
  %2 = graph.cast %1 because "down" : (tensor<8xf32>) -> tensor<8xbf16>
  return %2 : tensor<8xbf16>
}

// -----

// What somebody wrote stays.
// CHECK-LABEL: func.func @written(
// CHECK: graph.cast
// CHECK: graph.gelu {{.*}}: tensor<8xf32>
// CHECK: graph.cast
func.func @written(%x: tensor<8xbf16>) -> tensor<8xbf16> {
  %0 = graph.cast %x : (tensor<8xbf16>) -> tensor<8xf32>
  %1 = graph.gelu %0 : tensor<8xf32>
  %2 = graph.cast %1 : (tensor<8xf32>) -> tensor<8xbf16>
  return %2 : tensor<8xbf16>
}
