// A convolution of 16 bits to f32 is one call where the library has it; else it
// is one of f32, of the same numbers. Values: Numerics/CudaPrograms/convolution.
// RUN: mpc-opt %s --mpc-decompose | FileCheck %s --check-prefixes=CHECK,CPU
// RUN: mpc-opt %s --mpc-set-target=target=cuda --mpc-decompose | FileCheck %s --check-prefixes=CHECK,CUDA

// CHECK-LABEL: @wide
// CPU-NEXT: graph.convolution %arg0, %arg1 same dtype = f32 : (tensor<2x8x4x4xbf16>, tensor<6x8x3x3xbf16>)
// CUDA-NEXT: %[[X:.*]] = graph.cast %arg0 because "decomposed: convolution" : (tensor<2x8x4x4xbf16>) -> tensor<2x8x4x4xf32>
// CUDA-NEXT: %[[W:.*]] = graph.cast %arg1
// CUDA-NEXT: graph.convolution %[[X]], %[[W]] same dtype = f32 : (tensor<2x8x4x4xf32>, tensor<6x8x3x3xf32>)
// CHECK-NEXT: return
func.func @wide(%x: tensor<2x8x4x4xbf16>, %w: tensor<6x8x3x3xbf16>) -> tensor<2x6x4x4xf32> {
  %0 = graph.convolution %x, %w same dtype = f32 : (tensor<2x8x4x4xbf16>, tensor<6x8x3x3xbf16>) -> tensor<2x6x4x4xf32>
  return %0 : tensor<2x6x4x4xf32>
}

// Its own type is a call everywhere.
// CHECK-LABEL: @narrow
// CHECK-NEXT: graph.transposed_convolution %arg0, %arg1 : (tensor<2x8x4x4xf16>, tensor<8x6x3x3xf16>)
// CHECK-NEXT: return
func.func @narrow(%x: tensor<2x8x4x4xf16>, %w: tensor<8x6x3x3xf16>) -> tensor<2x6x6x6xf16> {
  %0 = graph.transposed_convolution %x, %w : (tensor<2x8x4x4xf16>, tensor<8x6x3x3xf16>) -> tensor<2x6x6x6xf16>
  return %0 : tensor<2x6x6x6xf16>
}

// Another type is what is accumulated, rounded.
// CHECK-LABEL: @other
// CPU-NEXT: %[[SUM:.*]] = graph.convolution_weight_gradient %arg0, %arg1 kernel = [3, 3] dtype = f32 : (tensor<2x8x4x4xf16>, tensor<2x6x2x2xf16>)
// CUDA: %[[SUM:.*]] = graph.convolution_weight_gradient %{{.*}}, %{{.*}} kernel = [3, 3] dtype = f32 : (tensor<2x8x4x4xf32>, tensor<2x6x2x2xf32>)
// CHECK-NEXT: graph.cast %[[SUM]] because "decomposed: convolution_weight_gradient" : (tensor<6x8x3x3xf32>) -> tensor<6x8x3x3xbf16>
func.func @other(%x: tensor<2x8x4x4xf16>, %dy: tensor<2x6x2x2xf16>) -> tensor<6x8x3x3xbf16> {
  %0 = graph.convolution_weight_gradient %x, %dy kernel = [3, 3] dtype = bf16 : (tensor<2x8x4x4xf16>, tensor<2x6x2x2xf16>) -> tensor<6x8x3x3xbf16>
  return %0 : tensor<6x8x3x3xbf16>
}

// Windows of one place are rows of a product, and so are the gradients.
// CHECK-LABEL: @pointwise
// CHECK-NEXT: %[[X:.*]] = graph.reshape %arg0 : (tensor<2x4x4x8xf32>) -> tensor<32x8xf32>
// CHECK-NEXT: %[[W:.*]] = graph.reshape %arg1 : (tensor<6x1x1x8xf32>) -> tensor<6x8xf32>
// CHECK-NEXT: %[[Y:.*]] = graph.matmul %[[X]], %[[W]] transpose_rhs : (tensor<32x8xf32>, tensor<6x8xf32>) -> tensor<32x6xf32>
// CHECK-NEXT: graph.reshape %[[Y]] : (tensor<32x6xf32>) -> tensor<2x4x4x6xf32>
// CHECK: graph.matmul %{{.*}}, %{{.*}} : (tensor<32x6xf32>, tensor<6x8xf32>) -> tensor<32x8xf32>
// CHECK: graph.matmul %{{.*}}, %{{.*}} transpose_lhs : (tensor<32x6xf32>, tensor<32x8xf32>) -> tensor<6x8xf32>
// CHECK-NOT: convolution
func.func @pointwise(%x: tensor<2x4x4x8xf32>, %w: tensor<6x1x1x8xf32>, %dy: tensor<2x4x4x6xf32>)
    -> (tensor<2x4x4x6xf32>, tensor<2x4x4x8xf32>, tensor<6x1x1x8xf32>) {
  %y = graph.convolution %x, %w channels_last : (tensor<2x4x4x8xf32>, tensor<6x1x1x8xf32>) -> tensor<2x4x4x6xf32>
  %dx = graph.transposed_convolution %dy, %w channels_last : (tensor<2x4x4x6xf32>, tensor<6x1x1x8xf32>) -> tensor<2x4x4x8xf32>
  %dw = graph.convolution_weight_gradient %x, %dy kernel = [1, 1] channels_last : (tensor<2x4x4x8xf32>, tensor<2x4x4x6xf32>) -> tensor<6x1x1x8xf32>
  return %y, %dx, %dw : tensor<2x4x4x6xf32>, tensor<2x4x4x8xf32>, tensor<6x1x1x8xf32>
}

// With a stride those places alone that windows are at; the gradient of the
// others is zero. A window that begins before the input has no place.
// CHECK-LABEL: @strided
// CHECK: %[[X:.*]] = graph.slice %arg0 offsets = [0, 0, 0, 0] sizes = [2, 2, 2, 8] steps = [1, 2, 3, 1]
// CHECK: %[[A:.*]] = graph.reshape %[[X]] : (tensor<2x2x2x8xf32>) -> tensor<8x8xf32>
// CHECK: graph.matmul %[[A]], %{{.*}} transpose_rhs : (tensor<8x8xf32>, tensor<6x8xf32>) -> tensor<8x6xf32>
// CHECK: graph.matmul %{{.*}}, %{{.*}} : (tensor<8x6xf32>, tensor<6x8xf32>) -> tensor<8x8xf32>
// CHECK: %[[DX:.*]] = graph.reshape %{{.*}} : (tensor<8x8xf32>) -> tensor<2x2x2x8xf32>
// CHECK: graph.window %[[DX]] offsets = [0, 0, 0, 0] sizes = [2, 4, 6, 8] spread = [1, 2, 3, 1]
// CHECK: graph.matmul %{{.*}}, %{{.*}} transpose_lhs : (tensor<8x6xf32>, tensor<8x8xf32>) -> tensor<6x8xf32>
// CHECK: graph.convolution %arg0, %arg1 strides = [2, 3] low = [1, 1]
func.func @strided(%x: tensor<2x4x6x8xf32>, %w: tensor<6x1x1x8xf32>, %dy: tensor<2x2x2x6xf32>)
    -> (tensor<2x2x2x6xf32>, tensor<2x4x6x8xf32>, tensor<6x1x1x8xf32>, tensor<2x3x3x6xf32>) {
  %y = graph.convolution %x, %w strides = [2, 3] channels_last : (tensor<2x4x6x8xf32>, tensor<6x1x1x8xf32>) -> tensor<2x2x2x6xf32>
  %dx = graph.transposed_convolution %dy, %w sizes = [4, 6] strides = [2, 3] channels_last : (tensor<2x2x2x6xf32>, tensor<6x1x1x8xf32>) -> tensor<2x4x6x8xf32>
  %dw = graph.convolution_weight_gradient %x, %dy kernel = [1, 1] strides = [2, 3] channels_last : (tensor<2x4x6x8xf32>, tensor<2x2x2x6xf32>) -> tensor<6x1x1x8xf32>
  %z = graph.convolution %x, %w strides = [2, 3] low = [1, 1] high = [0, 1] channels_last : (tensor<2x4x6x8xf32>, tensor<6x1x1x8xf32>) -> tensor<2x3x3x6xf32>
  return %y, %dx, %dw, %z : tensor<2x2x2x6xf32>, tensor<2x4x6x8xf32>, tensor<6x1x1x8xf32>, tensor<2x3x3x6xf32>
}

// Not where a window has more, or less, than its place, or the channels are apart.
// CHECK-LABEL: @others
// CHECK-COUNT-3: graph.convolution
// CHECK-NOT: matmul
func.func @others(%x: tensor<2x4x4x8xf32>, %part: tensor<6x1x1x4xf32>, %three: tensor<6x3x3x8xf32>,
    %first: tensor<2x8x4x4xf32>, %across: tensor<6x8x1x1xf32>)
    -> (tensor<2x4x4x6xf32>, tensor<2x4x4x6xf32>, tensor<2x6x4x4xf32>) {
  %1 = graph.convolution %x, %part groups = 2 channels_last : (tensor<2x4x4x8xf32>, tensor<6x1x1x4xf32>) -> tensor<2x4x4x6xf32>
  %2 = graph.convolution %x, %three same channels_last : (tensor<2x4x4x8xf32>, tensor<6x3x3x8xf32>) -> tensor<2x4x4x6xf32>
  %3 = graph.convolution %first, %across : (tensor<2x8x4x4xf32>, tensor<6x8x1x1xf32>) -> tensor<2x6x4x4xf32>
  return %1, %2, %3 : tensor<2x4x4x6xf32>, tensor<2x4x4x6xf32>, tensor<2x6x4x4xf32>
}

// A bias is an operand of the call where its library adds it to what is
// accumulated. Else, where it is of another type and the target is a GPU, it is
// added behind a call that yields f32.
// CHECK-LABEL: @biases
// CHECK-NEXT: %[[R:.*]] = graph.convolution %arg0, %arg1 bias %arg2 same : (tensor<2x8x4x4xbf16>, tensor<6x8x3x3xbf16>, tensor<6xbf16>) -> tensor<2x6x4x4xbf16>
// CPU-NEXT: %[[T:.*]] = graph.convolution %arg0, %arg1 bias %arg3 same : (tensor<2x8x4x4xbf16>, tensor<6x8x3x3xbf16>, tensor<6xf32>) -> tensor<2x6x4x4xbf16>
// CUDA: %[[Z:.*]] = graph.convolution %{{.*}}, %{{.*}} same dtype = f32 : (tensor<2x8x4x4xf32>, tensor<6x8x3x3xf32>) -> tensor<2x6x4x4xf32>
// CUDA-NEXT: %[[C:.*]] = graph.reshape %arg3 : (tensor<6xf32>) -> tensor<6x1x1xf32>
// CUDA-NEXT: %[[S:.*]] = graph.add %[[Z]], %[[C]]
// CUDA-NEXT: %[[T:.*]] = graph.cast %[[S]] because "decomposed: convolution" : (tensor<2x6x4x4xf32>) -> tensor<2x6x4x4xbf16>
// CHECK-NEXT: return %[[R]], %[[T]]
func.func @biases(%x: tensor<2x8x4x4xbf16>, %w: tensor<6x8x3x3xbf16>, %b: tensor<6xbf16>, %c: tensor<6xf32>)
    -> (tensor<2x6x4x4xbf16>, tensor<2x6x4x4xbf16>) {
  %0 = graph.convolution %x, %w bias %b same : (tensor<2x8x4x4xbf16>, tensor<6x8x3x3xbf16>, tensor<6xbf16>) -> tensor<2x6x4x4xbf16>
  %1 = graph.convolution %x, %w bias %c same : (tensor<2x8x4x4xbf16>, tensor<6x8x3x3xbf16>, tensor<6xf32>) -> tensor<2x6x4x4xbf16>
  return %0, %1 : tensor<2x6x4x4xbf16>, tensor<2x6x4x4xbf16>
}

// Where each op rounds once, what is accumulated is not rounded before.
// CHECK-LABEL: @strict_bias
// CHECK-NEXT: graph.convolution %arg0, %arg1 bias %arg2 same channels_last :
// CHECK-NEXT: return
func.func @strict_bias(%x: tensor<2x4x4x8xf16>, %w: tensor<6x3x3x8xf16>, %b: tensor<6xf16>) -> tensor<2x4x4x6xf16>
    attributes {graph.training = #graph.training<rounding = "strict">} {
  %0 = graph.convolution %x, %w bias %b same channels_last : (tensor<2x4x4x8xf16>, tensor<6x3x3x8xf16>, tensor<6xf16>) -> tensor<2x4x4x6xf16>
  return %0 : tensor<2x4x4x6xf16>
}

// To another type what is accumulated is rounded with its bias. No library adds
// one to a transposed convolution: where it yields f32 nothing is rounded before.
// CHECK-LABEL: @other_bias
// CPU-NEXT: %[[SUM:.*]] = graph.convolution %arg0, %arg1 bias %arg2 same dtype = f32 : (tensor<2x8x4x4xf16>, tensor<6x8x3x3xf16>, tensor<6xf16>) -> tensor<2x6x4x4xf32>
// CPU-NEXT: graph.cast %[[SUM]] because "decomposed: convolution" : (tensor<2x6x4x4xf32>) -> tensor<2x6x4x4xbf16>
// CPU-NEXT: graph.transposed_convolution %arg0, %arg3 dtype = f32 : (tensor<2x8x4x4xf16>, tensor<8x6x3x3xf16>) -> tensor<2x6x6x6xf32>
// CPU: graph.add %{{.*}} : (tensor<2x6x6x6xf32>, tensor<6x1x1xf32>)
// CPU-NEXT: graph.cast {{.*}} -> tensor<2x6x6x6xf16>
// CUDA: %[[SUM:.*]] = graph.convolution %{{.*}}, %{{.*}} same dtype = f32 : (tensor<2x8x4x4xf32>, tensor<6x8x3x3xf32>) -> tensor<2x6x4x4xf32>
// CUDA: graph.add %[[SUM]], %{{.*}} : (tensor<2x6x4x4xf32>, tensor<6x1x1xf32>)
// CUDA-NEXT: graph.cast {{.*}} -> tensor<2x6x4x4xbf16>
// CUDA: graph.transposed_convolution %arg0, %arg3 : (tensor<2x8x4x4xf16>, tensor<8x6x3x3xf16>) -> tensor<2x6x6x6xf16>
// CUDA: graph.add %{{.*}} : (tensor<2x6x6x6xf16>, tensor<6x1x1xf16>)
func.func @other_bias(%x: tensor<2x8x4x4xf16>, %w: tensor<6x8x3x3xf16>, %b: tensor<6xf16>, %v: tensor<8x6x3x3xf16>)
    -> (tensor<2x6x4x4xbf16>, tensor<2x6x6x6xf16>) {
  %0 = graph.convolution %x, %w bias %b same dtype = bf16 : (tensor<2x8x4x4xf16>, tensor<6x8x3x3xf16>, tensor<6xf16>) -> tensor<2x6x4x4xbf16>
  %1 = graph.transposed_convolution %x, %v bias %b : (tensor<2x8x4x4xf16>, tensor<8x6x3x3xf16>, tensor<6xf16>) -> tensor<2x6x6x6xf16>
  return %0, %1 : tensor<2x6x4x4xbf16>, tensor<2x6x6x6xf16>
}

// A product of matrices adds it to its rows, for an epilogue; where no window of a
// transposed convolution is there is the bias alone.
// CHECK-LABEL: @pointwise_bias
// CHECK: %[[P:.*]] = graph.matmul %{{.*}} transpose_rhs : (tensor<32x8xf16>, tensor<6x8xf16>) -> tensor<32x6xf16>
// CHECK-NEXT: %[[S:.*]] = graph.add %[[P]], %arg2 : (tensor<32x6xf16>, tensor<6xf16>)
// CHECK-NEXT: graph.reshape %[[S]] : (tensor<32x6xf16>) -> tensor<2x4x4x6xf16>
// CPU: graph.matmul %{{.*}} dtype = f32 : (tensor<8x8xf16>, tensor<8x6xf16>) -> tensor<8x6xf32>
// CUDA: graph.matmul %{{.*}} : (tensor<8x8xf16>, tensor<8x6xf16>) -> tensor<8x6xf16>
// CHECK: %[[W:.*]] = graph.window
// CPU: graph.add %[[W]], %{{.*}} : (tensor<2x4x4x6xf32>, tensor<6xf32>)
// CUDA-NEXT: graph.add %[[W]], %arg2 : (tensor<2x4x4x6xf16>, tensor<6xf16>)
func.func @pointwise_bias(%x: tensor<2x4x4x8xf16>, %w: tensor<6x1x1x8xf16>, %b: tensor<6xf16>, %y: tensor<2x2x2x8xf16>, %v: tensor<8x1x1x6xf16>)
    -> (tensor<2x4x4x6xf16>, tensor<2x4x4x6xf16>) {
  %0 = graph.convolution %x, %w bias %b channels_last : (tensor<2x4x4x8xf16>, tensor<6x1x1x8xf16>, tensor<6xf16>) -> tensor<2x4x4x6xf16>
  %1 = graph.transposed_convolution %y, %v bias %b sizes = [4, 4] strides = [2, 2] channels_last : (tensor<2x2x2x8xf16>, tensor<8x1x1x6xf16>, tensor<6xf16>) -> tensor<2x4x4x6xf16>
  return %0, %1 : tensor<2x4x4x6xf16>, tensor<2x4x4x6xf16>
}
