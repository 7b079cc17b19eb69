// RUN: mpc-opt %s --mpc-decompose --cse --mpc-group --mpc-emit-kernels=gpu=sm_90 --canonicalize --cse | FileCheck %s
// Each thread computes chunks of 16 bytes.

// CHECK: gpu.module @kernels

// The type of the elements gives the width: 8 halves, 4 floats, 2 doubles, 16
// bytes. Result and operand may be one buffer, so neither is noalias.
// CHECK-LABEL: gpu.func @halves_0(
// CHECK-SAME: %[[X:.*]]: memref<64x1024xf16> {llvm.align = 256 : i64}, %[[Y:.*]]: memref<64x1024xf16> {llvm.align = 256 : i64})
// CHECK-SAME: kernel attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 128, 1, 1>}
// CHECK-NOT: scf.if
// CHECK: vector.load %{{.*}} {alignment = 16 : i64} : memref<65536xf16>, vector<8xf16>
// CHECK: arith.extf {{.*}} to vector<8xf32>
// CHECK: arith.negf
// CHECK: arith.truncf
// CHECK: vector.store %{{.*}} {alignment = 16 : i64} : memref<65536xf16>, vector<8xf16>
// CHECK-NEXT: gpu.return
func.func @halves(%x: tensor<64x1024xf16>) -> tensor<64x1024xf16> {
  %0 = graph.neg %x : tensor<64x1024xf16>
  return %0 : tensor<64x1024xf16>
}

// CHECK-LABEL: gpu.func @floats_0(
// CHECK: vector.load %{{.*}} {alignment = 16 : i64} : memref<4096xf32>, vector<4xf32>
func.func @floats(%x: tensor<4096xf32>) -> tensor<4096xf32> {
  %0 = graph.neg %x : tensor<4096xf32>
  return %0 : tensor<4096xf32>
}

// CHECK-LABEL: gpu.func @doubles_0(
// CHECK: vector.load %{{.*}} {alignment = 16 : i64} : memref<4096xf64>, vector<2xf64>
// CHECK: arith.negf {{.*}} vector<2xf64>
func.func @doubles(%x: tensor<4096xf64>) -> tensor<4096xf64> {
  %0 = graph.neg %x : tensor<4096xf64>
  return %0 : tensor<4096xf64>
}

// Beside halves, floats are 32 bytes: two accesses. An operand of another type
// than the result shares no memory with it.
// CHECK-LABEL: gpu.func @mixed_0(
// CHECK-SAME: memref<512x64xf32> {llvm.align = 256 : i64, llvm.noalias, llvm.readonly}
// CHECK-SAME: memref<512x64xf16> {llvm.align = 256 : i64, llvm.noalias})
// CHECK: vector.load %{{.*}} {alignment = 32 : i64} : memref<32768xf32>, vector<8xf32>
// CHECK: vector.store %{{.*}} {alignment = 16 : i64} : memref<32768xf16>, vector<8xf16>
func.func @mixed(%x: tensor<512x64xf32>) -> tensor<512x64xf16> {
  %0 = graph.cast %x : (tensor<512x64xf32>) -> tensor<512x64xf16>
  return %0 : tensor<512x64xf16>
}

// i1 is a byte; a byte does not narrow the chunks of floats.
// CHECK-LABEL: gpu.func @mask_0(
// CHECK-SAME: memref<4096xi8>
// CHECK: vector.load {{.*}} vector<4xf32>
// CHECK: arith.cmpf
// CHECK: arith.extui {{.*}} vector<4xi1> to vector<4xi8>
// CHECK: vector.store {{.*}} {alignment = 4 : i64} : memref<4096xi8>, vector<4xi8>
func.func @mask(%x: tensor<4096xf32>, %y: tensor<4096xf32>) -> tensor<4096xi1> {
  %0 = graph.compare <lt> %x, %y : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xi1>
  return %0 : tensor<4096xi1>
}

// 4 * 7 elements are 7 chunks of 4 in one block; the rest of the threads do
// nothing, by a branch around each access.
// CHECK-LABEL: gpu.func @ragged_0(
// CHECK: %[[IN:.*]] = arith.cmpi ult, %{{.*}}, %c7_i32 : i32
// CHECK: scf.if %[[IN]] -> (vector<4xf32>)
// CHECK: vector.load
// CHECK: scf.if %[[IN]]
// CHECK: vector.store
func.func @ragged(%x: tensor<4x7xf32>) -> tensor<4x7xf32> {
  %0 = graph.neg %x : tensor<4x7xf32>
  return %0 : tensor<4x7xf32>
}

// Rows of 18 halves start at multiples of 36 bytes: pairs are aligned, more are
// not.
// CHECK-LABEL: gpu.func @broadcast_0(
// CHECK-DAG: arith.remui %{{.*}}, %c9_i32 : i32
// CHECK-DAG: arith.divui %{{.*}}, %c9_i32 : i32
// CHECK: vector.load %{{.*}} {alignment = 4 : i64} : memref<1800xf16>, vector<2xf16>
// CHECK: vector.load %{{.*}} {alignment = 4 : i64} : memref<18xf16>, vector<2xf16>
func.func @broadcast(%x: tensor<100x18xf16>, %b: tensor<18xf16>) -> tensor<100x18xf16> {
  %0 = graph.add %x, %b : (tensor<100x18xf16>, tensor<18xf16>) -> tensor<100x18xf16>
  return %0 : tensor<100x18xf16>
}

// A slice that begins at an odd element is read one by one, and so is all else.
// CHECK-LABEL: gpu.func @shifted_0(
// CHECK-NOT: vector
// CHECK: memref.load {{.*}} memref<4160xf32>
// CHECK: memref.store
// CHECK-NEXT: gpu.return
func.func @shifted(%x: tensor<64x65xf32>) -> tensor<64x64xf32> {
  %0 = graph.slice %x offsets = [0, 1] sizes = [64, 64] : (tensor<64x65xf32>) -> tensor<64x64xf32>
  %1 = graph.neg %0 : tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}

// Large enough to fill the GPU twice: each thread has several loads under way,
// before it stores where they may be from.
// CHECK-LABEL: gpu.func @large_0(
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 4096, 1, 1>
// CHECK-COUNT-3: vector.load
// CHECK-NOT: vector.store
// CHECK: vector.load
// CHECK-NOT: vector.load
// CHECK-COUNT-4: vector.store
func.func @large(%x: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %0 = graph.neg %x : tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}

// 2^31 elements need indices of 64 bits.
// CHECK-LABEL: gpu.func @huge_0(
// CHECK: arith.index_castui {{.*}} : index to i64
func.func @huge(%x: tensor<65536x32768xf16>) -> tensor<65536x32768xf16> {
  %0 = graph.neg %x : tensor<65536x32768xf16>
  return %0 : tensor<65536x32768xf16>
}

// Scalars: one thread.
// CHECK-LABEL: gpu.func @scalar_0(
// CHECK-SAME: known_block_size = array<i32: 1, 1, 1>, known_grid_size = array<i32: 1, 1, 1>
// CHECK: memref.load {{.*}} memref<1xf32>
// CHECK-NEXT: math.exp
// CHECK-NEXT: memref.store
func.func @scalar(%x: tensor<f32>) -> tensor<f32> {
  %0 = graph.exp %x : tensor<f32>
  return %0 : tensor<f32>
}

// The index of each lane.
// CHECK-LABEL: gpu.func @index_0(
// CHECK: arith.constant dense<[0, 1, 2, 3]> : vector<4xi32>
// CHECK: vector.store
func.func @index() -> tensor<64xi32> {
  %0 = graph.iota dim = 0 : tensor<64xi32>
  %1 = graph.neg %0 : tensor<64xi32>
  return %1 : tensor<64xi32>
}

// A bias comes from a cache: 16 bytes of 64 are on their way with one chunk, so
// there are four.
// CHECK-LABEL: gpu.func @biased_0(
// CHECK-COUNT-4: vector.load {{.*}} : memref<16777216xf16>, vector<8xf16>
// CHECK: gpu.return
func.func @biased(%x: tensor<16384x1024xf16>, %b: tensor<1024xf16>) -> tensor<16384x1024xf16> {
  %0 = graph.add %x, %b : (tensor<16384x1024xf16>, tensor<1024xf16>) -> tensor<16384x1024xf16>
  return %0 : tensor<16384x1024xf16>
}

// GELU of 16 bits: what is added to 1 need not have the digits of what is near
// 0. Of f32 it has them, as the error function itself has.
// CHECK-LABEL: gpu.func @gelu_0(
// CHECK: math.erf %{{.*}} fastmath<afn> : vector<8xf32>
// CHECK: gpu.return
func.func @gelu(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %0 = graph.gelu %x : tensor<64x64xbf16>
  return %0 : tensor<64x64xbf16>
}
// CHECK-LABEL: gpu.func @gelu_of_f32_0(
// CHECK-NOT: afn
// CHECK: gpu.return
func.func @gelu_of_f32(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = graph.gelu %x : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
// CHECK-LABEL: gpu.func @erf_0(
// CHECK-NOT: afn
// CHECK: gpu.return
func.func @erf(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %0 = graph.erf %x : tensor<64x64xbf16>
  return %0 : tensor<64x64xbf16>
}
