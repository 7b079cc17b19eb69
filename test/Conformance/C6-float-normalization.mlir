// C6, from XLA's float_normalization_test.cc: an op that cannot run in bf16
// gets converts on both sides; nothing else changes. Where ours says "cannot",
// a policy denies; the narrow values around are those of a bf16 model.
// RUN: mpc-opt %s --split-input-file --mpc-autocast="precision=bf16 policy=graph.sub=Deny" --mpc-verify-autocast --mpc-fold-casts --cse 2>/dev/null | FileCheck %s

// Unsupported: converts before and after; supported: none.
// CHECK-LABEL: func.func @unsupported(
// CHECK-NEXT: %[[B:.*]] = graph.cast %{{.*}} because "deny: sub runs in f32 {{.*}}" : (tensor<8x8xbf16>) -> tensor<8x8xf32>
// CHECK-NEXT: %[[S:.*]] = graph.add %{{.*}} -> tensor<8x8xbf16>
// CHECK-NEXT: %[[A:.*]] = graph.cast %[[S]] because "deny: sub runs in f32 {{.*}}" : (tensor<8x8xbf16>) -> tensor<8x8xf32>
// CHECK-NEXT: %[[D:.*]] = graph.sub %[[A]], %[[B]] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: graph.cast %[[D]] {{.*}} : (tensor<8x8xf32>) -> tensor<8x8xbf16>
// CHECK-NEXT: return %
func.func @unsupported(%x: tensor<8x8xbf16> {graph.input = "x"}, %y: tensor<8x8xbf16> {graph.input = "y"}) -> (tensor<8x8xbf16> {graph.output = "z"}) {
  %0 = graph.add %x, %y : (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xbf16>
  %1 = graph.sub %0, %y : (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xbf16>
  return %1 : tensor<8x8xbf16>
}

// -----

// Two unsupported ops in a row: no converts between them.
// CHECK-LABEL: func.func @chain(
// CHECK: graph.sub {{.*}} -> tensor<8x8xf32>
// CHECK-NEXT: graph.sub {{.*}} -> tensor<8x8xf32>
// CHECK-NEXT: graph.cast
// CHECK-NEXT: return %
func.func @chain(%x: tensor<8x8xbf16> {graph.input = "x"}) -> (tensor<8x8xbf16> {graph.output = "z"}) {
  %0 = graph.sub %x, %x : (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xbf16>
  %1 = graph.sub %0, %0 : (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xbf16>
  return %1 : tensor<8x8xbf16>
}

// -----

// Mixed precision: an op whose operands meet as bf16 and f32 gets one type for
// both. A reduction may take bf16 and give f32 of its own accord.
// CHECK-LABEL: func.func @mixed(
// CHECK-NEXT: %[[X:.*]] = graph.cast %{{.*}} : (tensor<8x8xbf16>) -> tensor<8x8xf32>
// CHECK-NEXT: graph.maximum %[[X]], %{{.*}} -> tensor<8x8xf32>
// CHECK: graph.sum %{{.*}} dims = [0] dtype = f32 : (tensor<8x8xbf16>) -> tensor<8xf32>
func.func @mixed(%x: tensor<8x8xbf16> {graph.input = "x"}, %y: tensor<8x8xf32> {graph.input = "y"}) -> (tensor<8x8xf32> {graph.output = "z"}, tensor<8xf32> {graph.output = "s"}) {
  %0 = graph.cast %x because "an importer" : (tensor<8x8xbf16>) -> tensor<8x8xf32>
  %1 = graph.maximum %0, %y : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = graph.sum %x dims = [0] dtype = f32 : (tensor<8x8xbf16>) -> tensor<8xf32>
  return %1, %2 : tensor<8x8xf32>, tensor<8xf32>
}

// -----

// A tuple: each result has its own type, and the convert stands before it.
// CHECK-LABEL: func.func @tuple(
// CHECK: %[[D:.*]] = graph.sub {{.*}} -> tensor<8xf32>
// CHECK: %[[N:.*]] = graph.cast %[[D]] {{.*}} -> tensor<8xbf16>
// CHECK: return %[[N]], %[[D]]
func.func @tuple(%x: tensor<8xbf16> {graph.input = "x"}) -> (tensor<8xbf16> {graph.output = "y"}, tensor<8xf32> {graph.output = "z"}) {
  %0 = graph.sub %x, %x : (tensor<8xbf16>, tensor<8xbf16>) -> tensor<8xbf16>
  %1 = graph.cast %0 because "an importer" : (tensor<8xbf16>) -> tensor<8xf32>
  return %0, %1 : tensor<8xbf16>, tensor<8xf32>
}
