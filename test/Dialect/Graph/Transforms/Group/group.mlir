// RUN: mpc-opt %s --mpc-decompose --cse --mpc-group | FileCheck %s
// Which ops share a kernel, and which kind of kernel it is.

// All phases of a softmax, and the cast after it, are one kernel.
// CHECK-LABEL: func.func @softmax
// CHECK: graph.group <row> %{{.*}} : (tensor<64x10xf32>) -> tensor<64x10xf16>
// CHECK-NOT: graph.group
func.func @softmax(%x: tensor<64x10xf32>) -> tensor<64x10xf16> {
  %0 = graph.softmax %x dim = 1 : (tensor<64x10xf32>) -> tensor<64x10xf32>
  %1 = graph.cast %0 : (tensor<64x10xf32>) -> tensor<64x10xf16>
  return %1 : tensor<64x10xf16>
}

// A matmul takes bias and activation along; what follows is a kernel.
// CHECK-LABEL: func.func @epilogue
// CHECK: graph.group <library>
// CHECK: graph.matmul
// CHECK-NEXT: graph.add
// CHECK-NEXT: graph.relu
// CHECK-NEXT: graph.yield
// CHECK: graph.group <row>
func.func @epilogue(%x: tensor<8x4xf32>, %w: tensor<4x6xf32>, %b: tensor<6xf32>) -> tensor<8x6xf32> {
  %0 = graph.matmul %x, %w : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %1 = graph.add %0, %b : (tensor<8x6xf32>, tensor<6xf32>) -> tensor<8x6xf32>
  %2 = graph.relu %1 : tensor<8x6xf32>
  %3 = graph.neg %2 : tensor<8x6xf32>
  return %3 : tensor<8x6xf32>
}

// The sum before the activation is read twice, so it must be stored.
// CHECK-LABEL: func.func @no_activation
// CHECK: graph.group <library>
// CHECK: graph.add
// CHECK-NEXT: graph.yield
// CHECK: graph.group <row>
// CHECK: graph.relu
func.func @no_activation(%x: tensor<8x4xf32>, %w: tensor<4x6xf32>, %b: tensor<6xf32>) -> (tensor<8x6xf32>, tensor<8x6xf32>) {
  %0 = graph.matmul %x, %w : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %1 = graph.add %0, %b : (tensor<8x6xf32>, tensor<6xf32>) -> tensor<8x6xf32>
  %2 = graph.relu %1 : tensor<8x6xf32>
  return %1, %2 : tensor<8x6xf32>, tensor<8x6xf32>
}

// Rounding after every op leaves no room for an epilogue in 16 bits.
// CHECK-LABEL: func.func @strict
// CHECK: graph.matmul
// CHECK-NEXT: graph.yield
// CHECK: graph.group <row>
func.func @strict(%x: tensor<8x4xf16>, %w: tensor<4x6xf16>, %b: tensor<6xf16>) -> tensor<8x6xf16>
    attributes {graph.training = #graph.training<rounding = "strict">} {
  %0 = graph.matmul %x, %w : (tensor<8x4xf16>, tensor<4x6xf16>) -> tensor<8x6xf16>
  %1 = graph.add %0, %b : (tensor<8x6xf16>, tensor<6xf16>) -> tensor<8x6xf16>
  return %1 : tensor<8x6xf16>
}

// A bias gradient sums over rows and takes its elementwise producer along.
// CHECK-LABEL: func.func @bias_gradient
// CHECK: graph.group <column> %{{.*}} : (tensor<64x8xf32>) -> tensor<8xf32>
// CHECK-NOT: graph.group
func.func @bias_gradient(%g: tensor<64x8xf32>) -> tensor<8xf32> {
  %0 = graph.mul %g, %g : (tensor<64x8xf32>, tensor<64x8xf32>) -> tensor<64x8xf32>
  %1 = graph.sum %0 dims = [0] : (tensor<64x8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// Gradients are read once for unscale, finite check and norm, and once for the
// update, which unscales again instead of reading what was stored.
// CHECK-LABEL: func.func @update
// CHECK-SAME: %[[P:[a-z0-9]+]]: tensor<30x7xf32>, %[[G:[a-z0-9]+]]: tensor<30x7xf32>
// CHECK: graph.group <row>
// CHECK-SAME: (tensor<f32>, tensor<i32>, tensor<f32>)
// CHECK: graph.group <row> %[[G]], %{{.*}} : (tensor<30x7xf32>, tensor<f32>) -> (tensor<30xf32>, tensor<30xf32>)
// CHECK: graph.group <row> {{.*}} -> (tensor<i1>, tensor<f32>)
// CHECK: graph.group <row> {{.*}}%[[G]]{{.*}} -> (tensor<30x7xf32>, tensor<30x7xf32>, tensor<30x7xf32>, tensor<30x7xf16>)
// CHECK-NOT: graph.group
func.func @update(%p: tensor<30x7xf32>, %g: tensor<30x7xf32>, %m: tensor<30x7xf32>, %v: tensor<30x7xf32>, %lr: tensor<f32>, %t: tensor<i32>, %s: tensor<f32>)
    -> (tensor<30x7xf32>, tensor<30x7xf32>, tensor<30x7xf32>, tensor<30x7xf16>, tensor<f32>) {
  %u, %inf = graph.unscale %s, %g : (tensor<f32>, tensor<30x7xf32>) -> (tensor<30x7xf32>, tensor<i1>)
  %n = graph.global_norm %u : (tensor<30x7xf32>) -> tensor<f32>
  %u2 = graph.mul %u, %n : (tensor<30x7xf32>, tensor<f32>) -> tensor<30x7xf32>
  %0:3 = graph.adamw %p, %u2, %m, %v lr %lr step %t : (tensor<30x7xf32>, tensor<30x7xf32>, tensor<30x7xf32>, tensor<30x7xf32>, tensor<f32>, tensor<i32>) -> (tensor<30x7xf32>, tensor<30x7xf32>, tensor<30x7xf32>)
  %np = graph.select %inf, %p, %0#0 : (tensor<i1>, tensor<30x7xf32>, tensor<30x7xf32>) -> tensor<30x7xf32>
  %c = graph.cast %np : (tensor<30x7xf32>) -> tensor<30x7xf16>
  return %np, %0#1, %0#2, %c, %n : tensor<30x7xf32>, tensor<30x7xf32>, tensor<30x7xf32>, tensor<30x7xf16>, tensor<f32>
}

// Views of other shape stay outside; a transpose of the innermost dim moves.
// CHECK-LABEL: func.func @movements
// CHECK: graph.group <row>
// CHECK: graph.reshape
// CHECK: graph.group <move>
// CHECK: graph.transpose
func.func @movements(%x: tensor<4x6xf32>) -> tensor<8x3xf32> {
  %0 = graph.neg %x : tensor<4x6xf32>
  %1 = graph.reshape %0 : (tensor<4x6xf32>) -> tensor<3x8xf32>
  %2 = graph.transpose %1 permutation = [1, 0] : (tensor<3x8xf32>) -> tensor<8x3xf32>
  return %2 : tensor<8x3xf32>
}

// Neither a cycle nor a value at two indices: x + transpose(x).
// CHECK-LABEL: func.func @two_indices
// CHECK-COUNT-2: graph.group
// CHECK-NOT: graph.group
func.func @two_indices(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.transpose %x permutation = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = graph.add %x, %0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// A splat that the function returns is filled by a group of its own.
// CHECK-LABEL: func.func @splat
// CHECK: graph.group <move> : () -> tensor<4xf32>
// CHECK: graph.constant
func.func @splat() -> tensor<4xf32> {
  %0 = graph.constant dense<1.0> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A splat that is reshaped for more than one kernel is written once.
// CHECK-LABEL: @reshaped_splat
// CHECK: %[[FILLED:.*]] = graph.group <move>
// CHECK: graph.constant
// CHECK-NEXT: graph.reshape
// CHECK: graph.group <row> %{{.*}}%[[FILLED]]
// CHECK: graph.group <column> %{{.*}}%[[FILLED]]
func.func @reshaped_splat(%x: tensor<4x64xf32>) -> (tensor<4x1xf32>, tensor<1x64xf32>) {
  %c = graph.constant dense<2.0> : tensor<f32>
  %0 = graph.reshape %c : (tensor<f32>) -> tensor<1x1xf32>
  %1 = graph.mul %x, %0 : (tensor<4x64xf32>, tensor<1x1xf32>) -> tensor<4x64xf32>
  %2 = graph.sum %1 dims = [1] keep : (tensor<4x64xf32>) -> tensor<4x1xf32>
  %3 = graph.add %x, %0 : (tensor<4x64xf32>, tensor<1x1xf32>) -> tensor<4x64xf32>
  %4 = graph.sum %3 dims = [0] keep : (tensor<4x64xf32>) -> tensor<1x64xf32>
  return %2, %4 : tensor<4x1xf32>, tensor<1x64xf32>
}

// In strict mode a sum of floats is alone, and so is a product: their order
// does not depend on what stands beside them. Sums of integers have none.
// CHECK-LABEL: func.func @strict_sums
// CHECK: graph.group <library> %{{.*}}, %{{.*}} : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
// CHECK: graph.group <row> %{{.*}} : (tensor<8x6xf32>, tensor<6xf32>) -> tensor<8x6xf32>
// CHECK-NEXT: ^bb0
// CHECK-NEXT: graph.add
// CHECK-NEXT: graph.relu
// CHECK-NEXT: graph.yield
// CHECK: graph.group <column> %{{.*}} : (tensor<8x6xf32>) -> tensor<6xf32>
// CHECK-NEXT: ^bb0
// CHECK-NEXT: graph.sum
// CHECK-NEXT: graph.yield
// CHECK: graph.group <row> %{{.*}} : (tensor<6xi32>) -> tensor<i32>
// CHECK-NEXT: ^bb0
// CHECK-NEXT: graph.add
// CHECK-NEXT: graph.sum
// CHECK-NEXT: graph.yield
func.func @strict_sums(%x: tensor<8x4xf32>, %w: tensor<4x6xf32>, %b: tensor<6xf32>, %i: tensor<6xi32>) -> (tensor<6xf32>, tensor<i32>)
    attributes {graph.training = #graph.training<rounding = "strict">} {
  %0 = graph.matmul %x, %w : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %1 = graph.add %0, %b : (tensor<8x6xf32>, tensor<6xf32>) -> tensor<8x6xf32>
  %2 = graph.relu %1 : tensor<8x6xf32>
  %3 = graph.sum %2 dims = [0] : (tensor<8x6xf32>) -> tensor<6xf32>
  %4 = graph.add %i, %i : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
  %5 = graph.sum %4 dims = [0] : (tensor<6xi32>) -> tensor<i32>
  return %3, %5 : tensor<6xf32>, tensor<i32>
}

// A bias that the call adds is not added again by the kernels that read the sum:
// the product is never in memory, where it would be rounded.
// CHECK-LABEL: func.func @biased_for_two
// CHECK: %[[Y:.*]] = graph.group <library>
// CHECK: graph.matmul
// CHECK-NEXT: graph.add
// CHECK-NEXT: graph.yield
// CHECK-NOT: graph.add
// CHECK: return
func.func @biased_for_two(%x: tensor<64x4xbf16>, %w: tensor<4x32xbf16>, %b: tensor<32xbf16>) -> (tensor<64xbf16>, tensor<32xbf16>) {
  %0 = graph.matmul %x, %w : (tensor<64x4xbf16>, tensor<4x32xbf16>) -> tensor<64x32xbf16>
  %1 = graph.add %0, %b : (tensor<64x32xbf16>, tensor<32xbf16>) -> tensor<64x32xbf16>
  %2 = graph.relu %1 : tensor<64x32xbf16>
  %3 = graph.sum %2 dims = [1] : (tensor<64x32xbf16>) -> tensor<64xbf16>
  %4 = graph.neg %1 : tensor<64x32xbf16>
  %5 = graph.sum %4 dims = [0] : (tensor<64x32xbf16>) -> tensor<32xbf16>
  return %3, %5 : tensor<64xbf16>, tensor<32xbf16>
}
