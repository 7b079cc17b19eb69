// TensorFlow's auto_mixed_precision_test.cc in our words: the number of casts
// is exact. B1, B2, B3 and B9 are in autocast-cheapest.mlir.
// RUN: mpc-opt %s --split-input-file --mpc-autocast=precision=fp16 --mpc-verify-autocast | FileCheck %s

// B4, BidirectionalClearChain: 16 bits flow backwards and across through the
// Clear ops: one shared cast down, two up.
// CHECK-LABEL: func.func @bidirectional_clear_chain
// CHECK-NEXT: %[[X:.*]] = graph.cast %{{.*}} because "clear: relu runs in f16 (fewest bytes)"
// CHECK-NEXT: %[[C1:.*]] = graph.relu %[[X]] : tensor<32x32xf16>
// CHECK-NEXT: %[[C2:.*]] = graph.relu %[[X]] : tensor<32x32xf16>
// CHECK-NEXT: graph.matmul %[[C1]], %[[C1]]
// CHECK-NEXT: graph.cast %{{.*}} because "return: result #0 is declared f32"
// CHECK-NEXT: %[[C3:.*]] = graph.concat %[[C1]], %[[C2]] {{.*}} -> tensor<64x32xf16>
// CHECK-NEXT: graph.matmul %[[C3]], %[[C1]]
// CHECK-NEXT: graph.cast %{{.*}} because "return: result #1 is declared f32"
// CHECK-NEXT: return
func.func @bidirectional_clear_chain(%x: tensor<32x32xf32> {graph.input = "x"}) -> (tensor<32x32xf32>, tensor<64x32xf32>) {
  %0 = graph.relu %x : tensor<32x32xf32>
  %1 = graph.relu %x : tensor<32x32xf32>
  %2 = graph.matmul %0, %0 : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %3 = graph.concat %0, %1 dim = 0 : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
  %4 = graph.matmul %3, %0 : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
  return %2, %4 : tensor<32x32xf32>, tensor<64x32xf32>
}

// -----

// B10, ExistingCast: a cast from i1 to f32 that the user wrote stays (there it
// is retargeted), so there are two casts more, one down and one up.
// CHECK-LABEL: func.func @existing_cast
// CHECK-NEXT: graph.cast %{{.*}} : (tensor<32x32xi1>) -> tensor<32x32xf32>
// CHECK-NEXT: graph.cast %{{.*}} because "allow: matmul runs in f16"
// CHECK-NEXT: graph.matmul
// CHECK-NEXT: graph.cast %{{.*}} because "return: result #0 is declared f32"
// CHECK-NEXT: return
func.func @existing_cast(%x: tensor<32x32xi1> {graph.input = "x"}) -> tensor<32x32xf32> {
  %0 = graph.cast %x : (tensor<32x32xi1>) -> tensor<32x32xf32>
  %1 = graph.matmul %0, %0 : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  return %1 : tensor<32x32xf32>
}

// -----

// B5, PreserveFetches: what is returned has its declared type; here the op may
// run narrow all the same, and its result is cast.
// CHECK-LABEL: func.func @preserve_fetches
// CHECK: graph.matmul
// CHECK-NEXT: graph.cast %{{.*}} because "return: result #0 is declared f32"
func.func @preserve_fetches(%x: tensor<32x32xf32> {graph.input = "x"}) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
  %0 = graph.matmul %x, %x : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %1 = graph.exp %x : tensor<32x32xf32>
  %2 = graph.matmul %1, %0 : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  return %0, %2 : tensor<32x32xf32>, tensor<32x32xf32>
}

// -----

// B16, an Infer op at the end of an Allow chain: it runs in 16 bits too, since
// casting after it costs what casting before it does.
// CHECK-LABEL: func.func @tail
// CHECK: graph.matmul
// CHECK-NEXT: graph.add {{.*}} -> tensor<32x32xf16>
// CHECK-NEXT: graph.tanh %{{.*}} : tensor<32x32xf16>
// CHECK-NEXT: graph.cast {{.*}} -> tensor<32x32xf32>
// CHECK-NEXT: return
func.func @tail(%x: tensor<32x32xf32> {graph.input = "x"}, %b: tensor<32xf32> {graph.parameter = "b"}) -> tensor<32x32xf32> {
  %0 = graph.matmul %x, %x : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %1 = graph.add %0, %b : (tensor<32x32xf32>, tensor<32xf32>) -> tensor<32x32xf32>
  %2 = graph.tanh %1 : tensor<32x32xf32>
  return %2 : tensor<32x32xf32>
}
