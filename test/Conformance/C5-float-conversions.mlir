// C5, from XLA's simplify_fp_conversions_test.cc: chains of casts. Ours is
// excess precision in rounding mode fused, none in strict.
// RUN: mpc-opt %s --split-input-file --mpc-fold-casts=rounding=fused --cse | FileCheck %s --check-prefixes=CHECK,FUSED
// RUN: mpc-opt %s --split-input-file --mpc-fold-casts=rounding=strict --cse | FileCheck %s --check-prefixes=CHECK,STRICT

// A single convert is unchanged.
// CHECK-LABEL: func.func @single(
// CHECK-NEXT: graph.cast %{{.*}} : (tensor<8xf32>) -> tensor<8xbf16>
// CHECK-NEXT: return %
func.func @single(%x: tensor<8xf32>) -> tensor<8xbf16> {
  %0 = graph.cast %x because "a" : (tensor<8xf32>) -> tensor<8xbf16>
  return %0 : tensor<8xbf16>
}

// -----

// f32 -> bf16 -> f32 is the identity with excess precision.
// CHECK-LABEL: func.func @down_and_up(
// FUSED-NEXT: return %arg0
// STRICT-NEXT: graph.cast
// STRICT-NEXT: graph.cast
// STRICT-NEXT: return %
func.func @down_and_up(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = graph.cast %x because "a" : (tensor<8xf32>) -> tensor<8xbf16>
  %1 = graph.cast %0 because "b" : (tensor<8xbf16>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// f64 -> f16 -> f32 -> bf16 is f64 -> bf16 with excess precision. In strict the
// rounding to f16 stays, and the step over f32, which is exact, goes.
// CHECK-LABEL: func.func @chain(
// FUSED-NEXT: graph.cast %{{.*}} : (tensor<8xf64>) -> tensor<8xbf16>
// FUSED-NEXT: return %
// STRICT-NEXT: graph.cast %{{.*}} : (tensor<8xf64>) -> tensor<8xf16>
// STRICT-NEXT: graph.cast %{{.*}} : (tensor<8xf16>) -> tensor<8xbf16>
// STRICT-NEXT: return %
func.func @chain(%x: tensor<8xf64>) -> tensor<8xbf16> {
  %0 = graph.cast %x because "a" : (tensor<8xf64>) -> tensor<8xf16>
  %1 = graph.cast %0 because "b" : (tensor<8xf16>) -> tensor<8xf32>
  %2 = graph.cast %1 because "c" : (tensor<8xf32>) -> tensor<8xbf16>
  return %2 : tensor<8xbf16>
}

// -----

// What somebody wrote is never looked through, in either mode.
// CHECK-LABEL: func.func @written(
// CHECK-COUNT-3: graph.cast
func.func @written(%x: tensor<8xf64>) -> tensor<8xbf16> {
  %0 = graph.cast %x : (tensor<8xf64>) -> tensor<8xf16>
  %1 = graph.cast %0 : (tensor<8xf16>) -> tensor<8xf32>
  %2 = graph.cast %1 : (tensor<8xf32>) -> tensor<8xbf16>
  return %2 : tensor<8xbf16>
}
