// Movements on a GPU.
// RUN: mpc-opt %s --mpc-group --mpc-emit-kernels=gpu=sm_90 --canonicalize --cse | FileCheck %s

// Tiles of 64 x 64 halves, in rows of 66: 8 elements per access on both sides.
// CHECK-LABEL: gpu.func @halves_0(
// CHECK-SAME: workgroup(%[[TILE:.*]] : memref<4224xf16
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 512, 1, 1>
// CHECK-COUNT-2: vector.load {{.*}} {alignment = 16 : i64} : memref<2097152xf16>, vector<8xf16>
// CHECK-COUNT-16: memref.store {{.*}}, %[[TILE]]
// CHECK: gpu.barrier
// CHECK-COUNT-8: memref.load %[[TILE]]
// CHECK: vector.store {{.*}} {alignment = 16 : i64} : memref<2097152xf16>, vector<8xf16>
// CHECK-COUNT-8: memref.load %[[TILE]]
// CHECK: vector.store
func.func @halves(%x: tensor<2048x1024xf16>) -> tensor<1024x2048xf16> {
  %0 = graph.transpose %x permutation = [1, 0] : (tensor<2048x1024xf16>) -> tensor<1024x2048xf16>
  return %0 : tensor<1024x2048xf16>
}

// Tiles of 32 x 32 numbers; rows of 50 and 30 leave two of them per access.
// CHECK-LABEL: gpu.func @ragged_0(
// CHECK-SAME: workgroup(%[[TILE:.*]] : memref<1056xf32
// CHECK-SAME: known_grid_size = array<i32: 14, 1, 1>
// CHECK-COUNT-2: vector.load {{.*}} {alignment = 8 : i64} : memref<10500xf32>, vector<2xf32>
// CHECK: gpu.barrier
// CHECK: vector.store {{.*}} {alignment = 8 : i64}
func.func @ragged(%x: tensor<7x50x30xf32>) -> tensor<7x30x50xf32> {
  %0 = graph.transpose %x permutation = [0, 2, 1] : (tensor<7x50x30xf32>) -> tensor<7x30x50xf32>
  return %0 : tensor<7x30x50xf32>
}

// After the dim of a concat all is one run: 16 bytes per access.
// CHECK-LABEL: gpu.func @concat_0(
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 12, 1, 1>
// CHECK: scf.if
// CHECK: vector.load {{.*}} {alignment = 16 : i64} : memref<8192xf16>, vector<8xf16>
// CHECK: scf.if
// CHECK: vector.load {{.*}} {alignment = 16 : i64} : memref<16384xf16>, vector<8xf16>
// CHECK: arith.select
// CHECK: vector.store {{.*}} : memref<24576xf16>, vector<8xf16>
func.func @concat(%x: tensor<64x2x64xf16>, %y: tensor<64x4x64xf16>) -> tensor<64x6x64xf16> {
  %0 = graph.concat %x, %y dim = 1 : (tensor<64x2x64xf16>, tensor<64x4x64xf16>) -> tensor<64x6x64xf16>
  return %0 : tensor<64x6x64xf16>
}

// Zeros where no operand is.
// CHECK-LABEL: gpu.func @pad_0(
// CHECK: %[[IN:.*]] = scf.if {{.*}} -> (f32) {
// CHECK: memref.load
// CHECK: } else {
// CHECK: scf.yield %cst
// CHECK: memref.store %[[IN]]
func.func @pad(%x: tensor<5x18xf32>) -> tensor<6x23xf32> {
  %0 = graph.pad %x low = [1, 2] high = [0, 3] : (tensor<5x18xf32>) -> tensor<6x23xf32>
  return %0 : tensor<6x23xf32>
}
