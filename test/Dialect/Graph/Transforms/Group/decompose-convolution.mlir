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
