// Movements in front of a library call that the library does by reading with
// strides belong to the call. oneDNN walks a batch by any strides, cuBLASLt by
// one, from memory that begins at a multiple of 256 bytes.
// RUN: mpc-opt %s --mpc-group | FileCheck %s --check-prefixes=CHECK,CPU
// RUN: mpc-opt %s --mpc-set-target=target=cuda --mpc-group | FileCheck %s --check-prefixes=CHECK,CUDA

// The heads of queries in [batch, time, 3, heads, width], read by two calls.
// CHECK-LABEL: func.func @heads(
// CPU-NOT: graph.group <move>
// CPU: graph.group <library>
// CPU: graph.slice
// CPU-NEXT: graph.reshape
// CPU-NEXT: graph.transpose
// CPU-NEXT: graph.matmul
// CPU: graph.group <library>
// CPU: graph.slice
// CPU-NOT: graph.group
// CUDA: graph.slice
// CUDA: graph.group <library>
// CUDA-NEXT: ^
// CUDA-NEXT: graph.matmul
// CHECK: return
func.func @heads(%x: tensor<2x16x3x4x8xf16>, %k: tensor<2x4x8x16xf16>, %v: tensor<2x4x8x5xf16>) -> (tensor<2x4x16x16xf16>, tensor<2x4x16x5xf16>) {
  %0 = graph.slice %x offsets = [0, 0, 1, 0, 0] sizes = [2, 16, 1, 4, 8] : (tensor<2x16x3x4x8xf16>) -> tensor<2x16x1x4x8xf16>
  %1 = graph.reshape %0 : (tensor<2x16x1x4x8xf16>) -> tensor<2x16x4x8xf16>
  %2 = graph.transpose %1 permutation = [0, 2, 1, 3] : (tensor<2x16x4x8xf16>) -> tensor<2x4x16x8xf16>
  %3 = graph.matmul %2, %k : (tensor<2x4x16x8xf16>, tensor<2x4x8x16xf16>) -> tensor<2x4x16x16xf16>
  %4 = graph.matmul %2, %v : (tensor<2x4x16x8xf16>, tensor<2x4x8x5xf16>) -> tensor<2x4x16x5xf16>
  return %3, %4 : tensor<2x4x16x16xf16>, tensor<2x4x16x5xf16>
}

// One batch stride: both libraries. The slice begins 256 bytes on.
// CHECK-LABEL: func.func @one_batch(
// CHECK: graph.group <library>
// CHECK: graph.slice
// CHECK-NEXT: graph.transpose
// CHECK-NEXT: graph.matmul
// CHECK-NOT: graph.group
// CHECK: return
func.func @one_batch(%x: tensor<16x8x32xf16>, %w: tensor<4x32x5xf16>) -> tensor<4x16x5xf16> {
  %0 = graph.slice %x offsets = [0, 4, 0] sizes = [16, 4, 32] : (tensor<16x8x32xf16>) -> tensor<16x4x32xf16>
  %1 = graph.transpose %0 permutation = [1, 0, 2] : (tensor<16x4x32xf16>) -> tensor<4x16x32xf16>
  %2 = graph.matmul %1, %w : (tensor<4x16x32xf16>, tensor<4x32x5xf16>) -> tensor<4x16x5xf16>
  return %2 : tensor<4x16x5xf16>
}

// 64 bytes on, it has to be copied for cuBLASLt.
// CHECK-LABEL: func.func @misaligned(
// CUDA: graph.slice
// CUDA: graph.group <library>
// CUDA-NEXT: ^
// CUDA-NEXT: graph.matmul
// CPU: graph.group <library>
// CPU: graph.slice
// CHECK: return
func.func @misaligned(%x: tensor<16x64xf16>, %w: tensor<32x5xf16>) -> tensor<16x5xf16> {
  %0 = graph.slice %x offsets = [0, 32] sizes = [16, 32] : (tensor<16x64xf16>) -> tensor<16x32xf16>
  %1 = graph.matmul %0, %w : (tensor<16x32xf16>, tensor<32x5xf16>) -> tensor<16x5xf16>
  return %1 : tensor<16x5xf16>
}

// oneDNN multiplies dense copies of bf16 faster.
// CHECK-LABEL: func.func @bf16(
// CPU: graph.group <move>
// CPU: graph.group <library>
// CUDA: graph.group <library>
// CUDA-NEXT: ^
// CUDA-NEXT: graph.slice
// CHECK: return
func.func @bf16(%x: tensor<16x256xbf16>, %w: tensor<128x5xbf16>) -> tensor<16x5xbf16> {
  %0 = graph.slice %x offsets = [0, 128] sizes = [16, 128] : (tensor<16x256xbf16>) -> tensor<16x128xbf16>
  %1 = graph.matmul %0, %w : (tensor<16x128xbf16>, tensor<128x5xbf16>) -> tensor<16x5xbf16>
  return %1 : tensor<16x5xbf16>
}

// Columns that do not lie dense, and rows neither, are copied.
// CHECK-LABEL: func.func @no_matrix(
// CHECK: graph.group <{{row|move}}>
// CHECK: graph.transpose
// CHECK: graph.group <library>
// CHECK-NEXT: ^
// CHECK-NEXT: graph.matmul
func.func @no_matrix(%x: tensor<4x5x6xf16>, %w: tensor<6x5x4xf16>) -> tensor<6x4x4xf16> {
  %0 = graph.transpose %x permutation = [2, 0, 1] : (tensor<4x5x6xf16>) -> tensor<6x4x5xf16>
  %1 = graph.matmul %0, %w : (tensor<6x4x5xf16>, tensor<6x5x4xf16>) -> tensor<6x4x4xf16>
  return %1 : tensor<6x4x4xf16>
}

// Of what a kernel computes only the slice is stored.
// CHECK-LABEL: func.func @slice_of_kernel(
// CHECK: graph.group <{{row|move}}>
// CHECK: graph.slice
// CHECK: graph.group <library>
// CHECK-NEXT: ^
// CHECK-NEXT: graph.matmul
func.func @slice_of_kernel(%x: tensor<16x256xf16>, %w: tensor<128x5xf16>) -> tensor<16x5xf16> {
  %0 = graph.exp %x : tensor<16x256xf16>
  %1 = graph.slice %0 offsets = [0, 128] sizes = [16, 128] : (tensor<16x256xf16>) -> tensor<16x128xf16>
  %2 = graph.matmul %1, %w : (tensor<16x128xf16>, tensor<128x5xf16>) -> tensor<16x5xf16>
  return %2 : tensor<16x5xf16>
}

// Rows that repeat lie on one another: no library reads them so.
// CHECK-LABEL: func.func @same_rows(
// CHECK: graph.broadcast
// CHECK: graph.group <library>
// CHECK-NEXT: ^
// CHECK-NEXT: graph.matmul
// CHECK: return
func.func @same_rows(%x: tensor<1x32xf16>, %w: tensor<32x5xf16>) -> tensor<16x5xf16> {
  %0 = graph.broadcast %x : (tensor<1x32xf16>) -> tensor<16x32xf16>
  %1 = graph.matmul %0, %w : (tensor<16x32xf16>, tensor<32x5xf16>) -> tensor<16x5xf16>
  return %1 : tensor<16x5xf16>
}

// Of a batch dim of 1 nobody takes the stride.
// CHECK-LABEL: func.func @batch_of_one(
// CHECK: graph.group <library>
// CHECK-NEXT: ^
// CHECK-NEXT: graph.slice
// CHECK-NEXT: graph.matmul
// CHECK: return
func.func @batch_of_one(%x: tensor<4x3x16x32xf16>, %w: tensor<4x1x32x5xf16>) -> tensor<4x1x16x5xf16> {
  %0 = graph.slice %x offsets = [0, 1, 0, 0] sizes = [4, 1, 16, 32] : (tensor<4x3x16x32xf16>) -> tensor<4x1x16x32xf16>
  %1 = graph.matmul %0, %w : (tensor<4x1x16x32xf16>, tensor<4x1x32x5xf16>) -> tensor<4x1x16x5xf16>
  return %1 : tensor<4x1x16x5xf16>
}

// A reshape in front of the others is a view of its own.
// CHECK-LABEL: func.func @reshape_first(
// CHECK: graph.reshape
// CHECK: graph.group <library>
// CHECK-NEXT: ^
// CHECK-NEXT: graph.transpose
// CHECK-NEXT: graph.matmul
// CHECK: return
func.func @reshape_first(%x: tensor<16x256xf16>, %w: tensor<8x32x5xf16>) -> tensor<8x16x5xf16> {
  %0 = graph.reshape %x : (tensor<16x256xf16>) -> tensor<16x8x32xf16>
  %1 = graph.transpose %0 permutation = [1, 0, 2] : (tensor<16x8x32xf16>) -> tensor<8x16x32xf16>
  %2 = graph.matmul %1, %w : (tensor<8x16x32xf16>, tensor<8x32x5xf16>) -> tensor<8x16x5xf16>
  return %2 : tensor<8x16x5xf16>
}

// What another call stores, with bias and function and under another shape, is
// all in memory, whoever reads a part.
// CHECK-LABEL: func.func @slice_of_call(
// CHECK: graph.group <library>
// CHECK: graph.relu
// CHECK: graph.group <library>
// CHECK-NEXT: ^
// CHECK-NEXT: graph.slice
// CHECK-NEXT: graph.matmul
// CHECK: return
func.func @slice_of_call(%x: tensor<2x8x32xf16>, %v: tensor<2x32x256xf16>, %b: tensor<256xf16>, %w: tensor<128x5xf16>) -> tensor<16x5xf16> {
  %0 = graph.matmul %x, %v : (tensor<2x8x32xf16>, tensor<2x32x256xf16>) -> tensor<2x8x256xf16>
  %1 = graph.add %0, %b : (tensor<2x8x256xf16>, tensor<256xf16>) -> tensor<2x8x256xf16>
  %2 = graph.relu %1 : tensor<2x8x256xf16>
  %3 = graph.reshape %2 : (tensor<2x8x256xf16>) -> tensor<16x256xf16>
  %4 = graph.slice %3 offsets = [0, 128] sizes = [16, 128] : (tensor<16x256xf16>) -> tensor<16x128xf16>
  %5 = graph.matmul %4, %w : (tensor<16x128xf16>, tensor<128x5xf16>) -> tensor<16x5xf16>
  return %5 : tensor<16x5xf16>
}

// Of the right operand, too.
// CHECK-LABEL: func.func @right(
// CHECK: graph.group <library>
// CHECK-NEXT: ^
// CHECK-NEXT: graph.slice
// CHECK-NEXT: graph.matmul
// CHECK: return
func.func @right(%x: tensor<16x32xf16>, %w: tensor<64x128xf16>) -> tensor<16x128xf16> {
  %0 = graph.slice %w offsets = [32, 0] sizes = [32, 128] : (tensor<64x128xf16>) -> tensor<32x128xf16>
  %1 = graph.matmul %x, %0 : (tensor<16x32xf16>, tensor<32x128xf16>) -> tensor<16x128xf16>
  return %1 : tensor<16x128xf16>
}

// Where every op rounds, calls take nothing along, and a copy is made once.
// CHECK-LABEL: func.func @strict(
// CHECK-COUNT-1: graph.slice
// CHECK-NOT: graph.slice
// CHECK: return
func.func @strict(%x: tensor<16x256xf16>, %w: tensor<128x5xf16>, %v: tensor<128x6xf16>) -> (tensor<16x5xf16>, tensor<16x6xf16>)
    attributes {graph.training = #graph.training<precision = "fp16", rounding = "strict">} {
  %0 = graph.slice %x offsets = [0, 128] sizes = [16, 128] : (tensor<16x256xf16>) -> tensor<16x128xf16>
  %1 = graph.matmul %0, %w : (tensor<16x128xf16>, tensor<128x5xf16>) -> tensor<16x5xf16>
  %2 = graph.matmul %0, %v : (tensor<16x128xf16>, tensor<128x6xf16>) -> tensor<16x6xf16>
  return %1, %2 : tensor<16x5xf16>, tensor<16x6xf16>
}
