// RUN: mpc-opt %s --mpc-fold-casts=rounding=fused --split-input-file | FileCheck %s --check-prefixes=CHECK,FUSED
// RUN: mpc-opt %s --mpc-fold-casts=rounding=strict --split-input-file | FileCheck %s --check-prefixes=CHECK,STRICT

// Widening and narrowing back is exact in both modes.
// CHECK-LABEL: func.func @lossless
// CHECK-SAME: %[[X:.*]]: tensor<8xf16>
// CHECK-NOT: graph.cast
// CHECK: graph.relu %[[X]]
func.func @lossless(%x: tensor<8xf16>) -> tensor<8xf16> {
  %0 = graph.cast %x because "a" : (tensor<8xf16>) -> tensor<8xf32>
  %1 = graph.cast %0 because "b" : (tensor<8xf32>) -> tensor<8xf16>
  %2 = graph.relu %1 : tensor<8xf16>
  return %2 : tensor<8xf16>
}

// -----

// A chain over a wider type is one cast, with one rounding.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: %[[X:.*]]: tensor<8xf16>
// CHECK: %[[C:.*]] = graph.cast %[[X]] because "b" : (tensor<8xf16>) -> tensor<8xbf16>
// CHECK: return %[[C]]
func.func @chain(%x: tensor<8xf16>) -> tensor<8xbf16> {
  %0 = graph.cast %x because "a" : (tensor<8xf16>) -> tensor<8xf32>
  %1 = graph.cast %0 because "b" : (tensor<8xf32>) -> tensor<8xbf16>
  return %1 : tensor<8xbf16>
}

// -----

// Rounding and widening back drops a rounding: only in fused.
// CHECK-LABEL: func.func @lossy
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>
// FUSED-NEXT: graph.exp %[[X]]
// STRICT-NEXT: graph.cast
// STRICT-NEXT: graph.cast
func.func @lossy(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = graph.cast %x because "a" : (tensor<8xf32>) -> tensor<8xf16>
  %1 = graph.cast %0 because "b" : (tensor<8xf16>) -> tensor<8xf32>
  %2 = graph.exp %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

// The rounded value has another reader: both must see it rounded.
// CHECK-LABEL: func.func @lossy_shared
// CHECK: %[[N:.*]] = graph.cast %{{.*}} because "a"
// CHECK: %[[W:.*]] = graph.cast %[[N]] because "b"
// CHECK: graph.exp %[[W]]
// CHECK: graph.relu %[[N]]
func.func @lossy_shared(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf16>) {
  %0 = graph.cast %x because "a" : (tensor<8xf32>) -> tensor<8xf16>
  %1 = graph.cast %0 because "b" : (tensor<8xf16>) -> tensor<8xf32>
  %2 = graph.exp %1 : tensor<8xf32>
  %3 = graph.relu %0 : tensor<8xf16>
  return %2, %3 : tensor<8xf32>, tensor<8xf16>
}

// -----

// The user's casts stay: as inner, as outer, and when they do nothing.
// CHECK-LABEL: func.func @users
// CHECK-COUNT-5: graph.cast
func.func @users(%x: tensor<8xf32>, %y: tensor<8xf16>) -> (tensor<8xf32>, tensor<8xf16>, tensor<8xf32>) {
  %0 = graph.cast %x : (tensor<8xf32>) -> tensor<8xf16>
  %1 = graph.cast %0 because "b" : (tensor<8xf16>) -> tensor<8xf32>
  %2 = graph.cast %y because "a" : (tensor<8xf16>) -> tensor<8xf32>
  %3 = graph.cast %2 : (tensor<8xf32>) -> tensor<8xf16>
  %4 = graph.cast %x : (tensor<8xf32>) -> tensor<8xf32>
  return %1, %3, %4 : tensor<8xf32>, tensor<8xf16>, tensor<8xf32>
}

// -----

// Twins merge whatever their reasons; a user's cast serves as well.
// CHECK-LABEL: func.func @twins
// CHECK: %[[C:.*]] = graph.cast %{{.*}} because "a"
// CHECK-NEXT: %[[U:.*]] = graph.cast %{{.*}} : (tensor<8xf32>) -> tensor<8xbf16>
// CHECK-NEXT: return %[[C]], %[[C]], %[[U]], %[[U]]
func.func @twins(%x: tensor<8xf32>) -> (tensor<8xf16>, tensor<8xf16>, tensor<8xbf16>, tensor<8xbf16>) {
  %0 = graph.cast %x because "a" : (tensor<8xf32>) -> tensor<8xf16>
  %1 = graph.cast %x because "b" : (tensor<8xf32>) -> tensor<8xf16>
  %2 = graph.cast %x : (tensor<8xf32>) -> tensor<8xbf16>
  %3 = graph.cast %x because "c" : (tensor<8xf32>) -> tensor<8xbf16>
  return %0, %1, %2, %3 : tensor<8xf16>, tensor<8xf16>, tensor<8xbf16>, tensor<8xbf16>
}

// -----

// Narrowing goes before a movement, through several.
// CHECK-LABEL: func.func @narrow_first
// CHECK-NEXT: %[[C:.*]] = graph.cast %{{.*}} because "a" : (tensor<4x8xf32>) -> tensor<4x8xf16>
// CHECK-NEXT: %[[T:.*]] = graph.transpose %[[C]] {{.*}} -> tensor<8x4xf16>
// CHECK-NEXT: %[[R:.*]] = graph.reshape %[[T]] : (tensor<8x4xf16>) -> tensor<32xf16>
// CHECK-NEXT: return %[[R]]
func.func @narrow_first(%x: tensor<4x8xf32>) -> tensor<32xf16> {
  %0 = graph.transpose %x permutation = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %1 = graph.reshape %0 : (tensor<8x4xf32>) -> tensor<32xf32>
  %2 = graph.cast %1 because "a" : (tensor<32xf32>) -> tensor<32xf16>
  return %2 : tensor<32xf16>
}

// -----

// After a slice fewer elements are cast: 8 of 4096 (48 bytes against 24 k).
// CHECK-LABEL: func.func @slice
// CHECK-NEXT: graph.slice {{.*}} -> tensor<8xf32>
// CHECK-NEXT: graph.cast
func.func @slice(%x: tensor<4096xf32>) -> tensor<8xf16> {
  %0 = graph.slice %x offsets = [0] sizes = [8] : (tensor<4096xf32>) -> tensor<8xf32>
  %1 = graph.cast %0 because "a" : (tensor<8xf32>) -> tensor<8xf16>
  return %1 : tensor<8xf16>
}

// -----

// Widening goes after the slice.
// CHECK-LABEL: func.func @widen_last
// CHECK-NEXT: %[[S:.*]] = graph.slice {{.*}} -> tensor<8xf16>
// CHECK-NEXT: graph.cast %[[S]] because "a" : (tensor<8xf16>) -> tensor<8xf32>
func.func @widen_last(%x: tensor<4096xf16>) -> tensor<8xf32> {
  %0 = graph.cast %x because "a" : (tensor<4096xf16>) -> tensor<4096xf32>
  %1 = graph.slice %0 offsets = [0] sizes = [8] : (tensor<4096xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// Before a broadcast fewer elements are cast: widening stays, narrowing moves.
// CHECK-LABEL: func.func @broadcast
// CHECK-NEXT: %[[W:.*]] = graph.cast %{{.*}} because "a" : (tensor<8xf16>) -> tensor<8xf32>
// CHECK-NEXT: graph.broadcast %[[W]]
// CHECK-NEXT: %[[N:.*]] = graph.cast %{{.*}} because "b" : (tensor<8xf32>) -> tensor<8xf16>
// CHECK-NEXT: graph.broadcast %[[N]]
func.func @broadcast(%x: tensor<8xf16>, %y: tensor<8xf32>) -> (tensor<64x8xf32>, tensor<64x8xf16>) {
  %0 = graph.cast %x because "a" : (tensor<8xf16>) -> tensor<8xf32>
  %1 = graph.broadcast %0 : (tensor<8xf32>) -> tensor<64x8xf32>
  %2 = graph.broadcast %y : (tensor<8xf32>) -> tensor<64x8xf32>
  %3 = graph.cast %2 because "b" : (tensor<64x8xf32>) -> tensor<64x8xf16>
  return %1, %3 : tensor<64x8xf32>, tensor<64x8xf16>
}

// -----

// An all-reduce is Clear too, but it adds: casts stay where they are. So does
// one around an op that is not Clear, or whose value has another reader.
// CHECK-LABEL: func.func @not_moved
// CHECK-NEXT: graph.all_reduce {{.*}} -> tensor<8xf32>
// CHECK-NEXT: graph.cast
// CHECK-NEXT: graph.tanh %{{.*}} : tensor<8xf32>
// CHECK-NEXT: graph.cast
// CHECK-NEXT: graph.neg %{{.*}} : tensor<8xf32>
// CHECK-NEXT: graph.cast
func.func @not_moved(%x: tensor<8xf32>) -> (tensor<8xf16>, tensor<8xf16>, tensor<8xf16>, tensor<8xf32>) {
  %0 = graph.all_reduce #graph.reduce_kind<average> %x group = "data" bucket = 0 : (tensor<8xf32>) -> tensor<8xf32>
  %1 = graph.cast %0 because "a" : (tensor<8xf32>) -> tensor<8xf16>
  %2 = graph.tanh %x : tensor<8xf32>
  %3 = graph.cast %2 because "a" : (tensor<8xf32>) -> tensor<8xf16>
  %4 = graph.neg %x : tensor<8xf32>
  %5 = graph.cast %4 because "a" : (tensor<8xf32>) -> tensor<8xf16>
  return %1, %3, %5, %4 : tensor<8xf16>, tensor<8xf16>, tensor<8xf16>, tensor<8xf32>
}

// An op that computes in f32 whatever its type is needs no casts around it.
// CHECK-LABEL: func.func @around(
// CHECK-SAME: %[[DY:[^:]*]]: tensor<8xf16>, %[[X:[^:]*]]: tensor<8xf16>
// CHECK-NEXT: %[[DX:.*]] = graph.gelu_backward %[[DY]], %[[X]] : (tensor<8xf16>, tensor<8xf16>) -> tensor<8xf16>
// CHECK-NEXT: return %[[DX]]
func.func @around(%dy: tensor<8xf16>, %x: tensor<8xf16>) -> tensor<8xf16> {
  %0 = graph.cast %dy because "in f32" : (tensor<8xf16>) -> tensor<8xf32>
  %1 = graph.cast %x because "in f32" : (tensor<8xf16>) -> tensor<8xf32>
  %2 = graph.gelu_backward %0, %1 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %3 = graph.cast %2 because "back" : (tensor<8xf32>) -> tensor<8xf16>
  return %3 : tensor<8xf16>
}

// One operand is wider than that: it stays.
// CHECK-LABEL: func.func @around_wide(
// CHECK: graph.gelu_backward %{{.*}} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
func.func @around_wide(%dy: tensor<8xf32>, %x: tensor<8xf16>) -> tensor<8xf16> {
  %1 = graph.cast %x because "in f32" : (tensor<8xf16>) -> tensor<8xf32>
  %2 = graph.gelu_backward %dy, %1 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %3 = graph.cast %2 because "back" : (tensor<8xf32>) -> tensor<8xf16>
  return %3 : tensor<8xf16>
}
