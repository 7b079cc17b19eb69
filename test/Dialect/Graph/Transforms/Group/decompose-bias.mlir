// What `matmul bias` is made of rounds once. Values: Numerics/Programs/bias.
// RUN: mpc-opt %s --mpc-decompose | FileCheck %s

// In 16 bits the sum behind the product is an epilogue of its call, which adds
// to what it has accumulated.
// CHECK-LABEL: @epilogue
// CHECK-NEXT: %[[P:.*]] = graph.matmul %arg0, %arg1 transpose_rhs : (tensor<2x4x8xbf16>, tensor<6x8xbf16>) -> tensor<2x4x6xbf16>
// CHECK-NEXT: %[[S:.*]] = graph.add %[[P]], %arg2 : (tensor<2x4x6xbf16>, tensor<6xbf16>) -> tensor<2x4x6xbf16>
// CHECK-NEXT: return %[[S]]
func.func @epilogue(%x: tensor<2x4x8xbf16>, %w: tensor<6x8xbf16>, %b: tensor<6xbf16>) -> tensor<2x4x6xbf16> {
  %0 = graph.matmul %x, %w bias %b transpose_rhs : (tensor<2x4x8xbf16>, tensor<6x8xbf16>, tensor<6xbf16>) -> tensor<2x4x6xbf16>
  return %0 : tensor<2x4x6xbf16>
}

// f32 is what is accumulated.
// CHECK-LABEL: @wide
// CHECK-NEXT: %[[P:.*]] = graph.matmul %arg0, %arg1 : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
// CHECK-NEXT: %[[S:.*]] = graph.add %[[P]], %arg2 : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
// CHECK-NEXT: return %[[S]]
func.func @wide(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %b: tensor<6xf32>) -> tensor<4x6xf32> {
  %0 = graph.matmul %x, %w bias %b : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// A bias that is wider than the result, or of another 16 bits, is no epilogue.
// CHECK-LABEL: @mixed
// CHECK-NEXT: %[[P:.*]] = graph.matmul %arg0, %arg1 dtype = f32 : (tensor<4x8xf16>, tensor<8x6xf16>) -> tensor<4x6xf32>
// CHECK-NEXT: %[[S:.*]] = graph.add %[[P]], %arg2 : (tensor<4x6xf32>, tensor<6xf32>)
// CHECK-NEXT: %[[Y:.*]] = graph.cast %[[S]] because "decomposed: matmul" : (tensor<4x6xf32>) -> tensor<4x6xf16>
// CHECK-NEXT: return %[[Y]]
func.func @mixed(%x: tensor<4x8xf16>, %w: tensor<8x6xf16>, %b: tensor<6xf32>) -> tensor<4x6xf16> {
  %0 = graph.matmul %x, %w bias %b : (tensor<4x8xf16>, tensor<8x6xf16>, tensor<6xf32>) -> tensor<4x6xf16>
  return %0 : tensor<4x6xf16>
}

// Nor does a library take along a constant, which would have to be stored, or
// the biases of a product that two ops have.
// CHECK-LABEL: @constant
// CHECK: %[[P:.*]] = graph.matmul %arg0, %arg1 dtype = f32
// CHECK-NEXT: %[[B:.*]] = graph.cast %{{.*}} : (tensor<6xf16>) -> tensor<6xf32>
// CHECK-NEXT: %[[S:.*]] = graph.add %[[P]], %[[B]]
// CHECK-NEXT: graph.cast %[[S]] {{.*}} -> tensor<4x6xf16>
func.func @constant(%x: tensor<4x8xf16>, %w: tensor<8x6xf16>) -> tensor<4x6xf16> {
  %b = graph.constant dense<3.0> : tensor<6xf16>
  %0 = graph.matmul %x, %w bias %b : (tensor<4x8xf16>, tensor<8x6xf16>, tensor<6xf16>) -> tensor<4x6xf16>
  return %0 : tensor<4x6xf16>
}
// CHECK-LABEL: @shared
// CHECK-COUNT-2: graph.matmul %arg0, %arg1 dtype = f32
func.func @shared(%x: tensor<4x8xf16>, %w: tensor<8x6xf16>, %b: tensor<6xf16>, %c: tensor<6xf16>) -> (tensor<4x6xf16>, tensor<4x6xf16>) {
  %0 = graph.matmul %x, %w bias %b : (tensor<4x8xf16>, tensor<8x6xf16>, tensor<6xf16>) -> tensor<4x6xf16>
  %1 = graph.matmul %x, %w bias %c : (tensor<4x8xf16>, tensor<8x6xf16>, tensor<6xf16>) -> tensor<4x6xf16>
  return %0, %1 : tensor<4x6xf16>, tensor<4x6xf16>
}

// Where each op rounds as it says, calls take nothing along.
// CHECK-LABEL: @strict
// CHECK-NEXT: graph.matmul %arg0, %arg1 dtype = f32 : (tensor<4x8xbf16>, tensor<8x6xbf16>) -> tensor<4x6xf32>
// CHECK-NEXT: graph.cast %arg2
// CHECK-NEXT: %[[S:.*]] = graph.add
// CHECK-NEXT: graph.cast %[[S]] {{.*}} -> tensor<4x6xbf16>
func.func @strict(%x: tensor<4x8xbf16>, %w: tensor<8x6xbf16>, %b: tensor<6xbf16>) -> tensor<4x6xbf16>
    attributes {graph.training = #graph.training<rounding = "strict">} {
  %0 = graph.matmul %x, %w bias %b : (tensor<4x8xbf16>, tensor<8x6xbf16>, tensor<6xbf16>) -> tensor<4x6xbf16>
  return %0 : tensor<4x6xbf16>
}

// What is asked of the op is asked of its product.
// CHECK-LABEL: @chunks
// CHECK-NEXT: graph.matmul %arg0, %arg1 {graph.chunks = 2 : i64} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
// CHECK-NEXT: graph.add
func.func @chunks(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %b: tensor<6xf32>) -> tensor<4x6xf32> {
  %0 = graph.matmul %x, %w bias %b {graph.chunks = 2 : i64} : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
