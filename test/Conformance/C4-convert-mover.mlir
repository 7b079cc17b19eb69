// C4, from XLA's convert_mover_test.cc: casts go where fewer bytes pass.
// RUN: mpc-opt %s --split-input-file --mpc-fold-casts=rounding=strict --cse | FileCheck %s
// That values stay the same to the bit is fold-casts-value.mlir's to say. XLA's
// pads with other constants than 0, and complex numbers, have no op here.

// Two widened halves are joined narrow, and widened once.
// CHECK-LABEL: func.func @concat_of_converts(
// CHECK-NEXT: %[[C:.*]] = graph.concat %{{.*}}, %{{.*}} dim = 0 : (tensor<8xf16>, tensor<8xf16>) -> tensor<16xf16>
// CHECK-NEXT: graph.cast %[[C]] because "a" : (tensor<16xf16>) -> tensor<16xf32>
func.func @concat_of_converts(%x: tensor<8xf16>, %y: tensor<8xf16>) -> tensor<16xf32> {
  %0 = graph.cast %x because "a" : (tensor<8xf16>) -> tensor<8xf32>
  %1 = graph.cast %y because "b" : (tensor<8xf16>) -> tensor<8xf32>
  %2 = graph.concat %0, %1 dim = 0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<16xf32>
  return %2 : tensor<16xf32>
}

// -----

// Different source types: nothing moves.
// CHECK-LABEL: func.func @different_sources(
// CHECK-NEXT: graph.cast
// CHECK-NEXT: graph.cast
// CHECK-NEXT: graph.concat {{.*}} -> tensor<16xf32>
// CHECK-NEXT: return %
func.func @different_sources(%x: tensor<8xf16>, %y: tensor<8xbf16>) -> tensor<16xf32> {
  %0 = graph.cast %x because "a" : (tensor<8xf16>) -> tensor<8xf32>
  %1 = graph.cast %y because "b" : (tensor<8xbf16>) -> tensor<8xf32>
  %2 = graph.concat %0, %1 dim = 0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<16xf32>
  return %2 : tensor<16xf32>
}

// -----

// One operand is wide already, one is read elsewhere, one is the user's: all
// three stay.
// CHECK-LABEL: func.func @not_all_converts(
// CHECK-COUNT-3: graph.concat {{.*}} -> tensor<16xf32>
func.func @not_all_converts(%x: tensor<8xf16>, %y: tensor<8xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<8xf32>, tensor<16xf32>) {
  %0 = graph.cast %x because "a" : (tensor<8xf16>) -> tensor<8xf32>
  %1 = graph.concat %0, %y dim = 0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<16xf32>
  %2 = graph.neg %x : tensor<8xf16>
  %3 = graph.cast %2 because "a" : (tensor<8xf16>) -> tensor<8xf32>
  %4 = graph.concat %3, %3 dim = 0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<16xf32>
  %5 = graph.abs %x : tensor<8xf16>
  %6 = graph.cast %5 : (tensor<8xf16>) -> tensor<8xf32>
  %7 = graph.concat %6, %6 dim = 0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<16xf32>
  return %1, %4, %3, %7 : tensor<16xf32>, tensor<16xf32>, tensor<8xf32>, tensor<16xf32>
}

// -----

// A narrowing convert of a concat goes to its operands.
// CHECK-LABEL: func.func @narrow_concat(
// CHECK-NEXT: graph.cast %{{.*}} because "a" : (tensor<8xf32>) -> tensor<8xf16>
// CHECK-NEXT: graph.cast %{{.*}} because "a" : (tensor<8xf32>) -> tensor<8xf16>
// CHECK-NEXT: graph.concat {{.*}} -> tensor<16xf16>
// CHECK-NEXT: return %
func.func @narrow_concat(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<16xf16> {
  %0 = graph.concat %x, %y dim = 0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<16xf32>
  %1 = graph.cast %0 because "a" : (tensor<16xf32>) -> tensor<16xf16>
  return %1 : tensor<16xf16>
}

// -----

// A narrowing convert of a reshape goes above it.
// CHECK-LABEL: func.func @reshape(
// CHECK-NEXT: graph.cast %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf16>
// CHECK-NEXT: graph.reshape
// CHECK-NEXT: return %
func.func @reshape(%x: tensor<4x8xf32>) -> tensor<32xf16> {
  %0 = graph.reshape %x : (tensor<4x8xf32>) -> tensor<32xf32>
  %1 = graph.cast %0 because "a" : (tensor<32xf32>) -> tensor<32xf16>
  return %1 : tensor<32xf16>
}

// -----

// Of two transposes above both.
// CHECK-LABEL: func.func @two_transposes(
// CHECK-NEXT: graph.cast %{{.*}} : (tensor<4x8x2xf32>) -> tensor<4x8x2xf16>
// CHECK-NEXT: graph.transpose
// CHECK-NEXT: graph.transpose
// CHECK-NEXT: return %
func.func @two_transposes(%x: tensor<4x8x2xf32>) -> tensor<2x4x8xf16> {
  %0 = graph.transpose %x permutation = [1, 0, 2] : (tensor<4x8x2xf32>) -> tensor<8x4x2xf32>
  %1 = graph.transpose %0 permutation = [2, 1, 0] : (tensor<8x4x2xf32>) -> tensor<2x4x8xf32>
  %2 = graph.cast %1 because "a" : (tensor<2x4x8xf32>) -> tensor<2x4x8xf16>
  return %2 : tensor<2x4x8xf16>
}

// -----

// Two slices of one widened value: widening goes below both.
// CHECK-LABEL: func.func @two_slices(
// CHECK-DAG: %[[A:.*]] = graph.slice %{{.*}} offsets = [0] {{.*}} -> tensor<4xf16>
// CHECK-DAG: graph.cast %[[A]] because "a" : (tensor<4xf16>) -> tensor<4xf32>
// CHECK-DAG: %[[B:.*]] = graph.slice %{{.*}} offsets = [8] {{.*}} -> tensor<4xf16>
// CHECK-DAG: graph.cast %[[B]] because "a" : (tensor<4xf16>) -> tensor<4xf32>
// CHECK: return %
func.func @two_slices(%x: tensor<16xf16>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.cast %x because "a" : (tensor<16xf16>) -> tensor<16xf32>
  %1 = graph.slice %0 offsets = [0] sizes = [4] : (tensor<16xf32>) -> tensor<4xf32>
  %2 = graph.slice %0 offsets = [8] sizes = [4] : (tensor<16xf32>) -> tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}

// -----

// A pad with 0 lets both pass: narrowing above it, widening below it.
// CHECK-LABEL: func.func @pad(
// CHECK-NEXT: graph.cast %{{.*}} because "a" : (tensor<8xf32>) -> tensor<8xf16>
// CHECK-NEXT: graph.pad {{.*}} -> tensor<10xf16>
// CHECK: return %
func.func @pad(%x: tensor<8xf32>) -> tensor<10xf16> {
  %0 = graph.pad %x low = [1] high = [1] : (tensor<8xf32>) -> tensor<10xf32>
  %1 = graph.cast %0 because "a" : (tensor<10xf32>) -> tensor<10xf16>
  return %1 : tensor<10xf16>
}

// -----

// Widening above a pad that adds few elements moves below it only if that
// shrinks bytes: 8 elements widened before cost 6 bytes each, 10 after; the pad
// itself moves 18 elements, at 2 bytes less each.
// CHECK-LABEL: func.func @widen_pad(
// CHECK-NEXT: graph.pad {{.*}} -> tensor<10xf16>
// CHECK-NEXT: graph.cast %{{.*}} because "a" : (tensor<10xf16>) -> tensor<10xf32>
// CHECK-NEXT: return %
func.func @widen_pad(%x: tensor<8xf16>) -> tensor<10xf32> {
  %0 = graph.cast %x because "a" : (tensor<8xf16>) -> tensor<8xf32>
  %1 = graph.pad %0 low = [1] high = [1] : (tensor<8xf32>) -> tensor<10xf32>
  return %1 : tensor<10xf32>
}

// -----

// A constant that f16 does not hold is combined, not moved: the cast stays.
// CHECK-LABEL: func.func @constant_beside(
// CHECK: graph.cast %{{.*}} -> tensor<8xf32>
// CHECK: graph.select {{.*}} -> tensor<8xf32>
func.func @constant_beside(%m: tensor<8xi1>, %x: tensor<8xf16>) -> tensor<8xf32> {
  %c = graph.constant dense<1.0e9> : tensor<f32>
  %0 = graph.cast %x because "a" : (tensor<8xf16>) -> tensor<8xf32>
  %1 = graph.select %m, %0, %c : (tensor<8xi1>, tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
