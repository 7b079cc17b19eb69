// RUN: mpc-opt %s --mpc-decompose --cse --mpc-group --mpc-emit-kernels=gpu=sm_90 --canonicalize --cse | FileCheck %s
// RUN: mpc-opt %s --mpc-decompose --cse --mpc-group --mpc-emit-kernels="gpu=sm_90 strict" --canonicalize --cse | FileCheck %s --check-prefix=STRICT
// Rows that the threads keep in registers.

// 1024 floats are 256 chunks: a warp per row, 8 per thread, four rows a block.
// The row is loaded once, folded twice and stored; no memory is shared, no
// barrier needed.
// CHECK-LABEL: gpu.func @warp_0(
// CHECK-NOT: workgroup
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 1024, 1, 1>
// CHECK-NOT: memref.alloca
// CHECK-NOT: gpu.barrier
// CHECK-COUNT-8: vector.load {{.*}} {alignment = 16 : i64} : memref<4194304xf32>, vector<4xf32>
// CHECK: gpu.shuffle xor %{{.*}}, %c16_i32, %c32_i32 : f32
// CHECK-COUNT-4: gpu.shuffle xor
// CHECK-COUNT-8: math.exp
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: vector.load
// CHECK-NOT: math.exp
// CHECK-COUNT-8: vector.store {{.*}} {alignment = 16 : i64} : memref<4194304xf32>, vector<4xf32>
// CHECK-NEXT: gpu.return
func.func @warp(%x: tensor<4096x1024xf32>) -> tensor<4096x1024xf32> {
  %0 = graph.softmax %x dim = 1 : (tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
  return %0 : tensor<4096x1024xf32>
}

// Longer rows take a block. Its warps exchange their sums through shared
// memory of one word per warp, with one barrier for each phase.
// CHECK-LABEL: gpu.func @block_0(
// CHECK-SAME: workgroup(%[[A:.*]] : memref<8xf32, #gpu.address_space<workgroup>> {{.*}}, %[[B:.*]] : memref<8xf32, #gpu.address_space<workgroup>> {{.*}})
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 4096, 1, 1>
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: scf.if
// CHECK: memref.store %{{.*}}, %[[A]]
// CHECK: gpu.barrier
// CHECK: memref.load %[[A]]
// CHECK-COUNT-3: gpu.shuffle xor
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: memref.store %{{.*}}, %[[B]]
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: memref.load %[[B]]
// CHECK-COUNT-3: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func @block(%x: tensor<4096x8192xf32>) -> tensor<4096x8192xf32> {
  %0 = graph.softmax %x dim = 1 : (tensor<4096x8192xf32>) -> tensor<4096x8192xf32>
  return %0 : tensor<4096x8192xf32>
}

// Reductions of one phase meet at one barrier. One thread stores what there is
// one of per row.
// CHECK-LABEL: gpu.func @together_0(
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0_i32
// CHECK-NEXT: scf.if %[[FIRST]]
// CHECK-NEXT: memref.store
// CHECK-NEXT: memref.store
// CHECK-NEXT: }
// CHECK-NEXT: gpu.return
func.func @together(%x: tensor<256x8192xf32>) -> (tensor<256xf32>, tensor<256xf32>) {
  %0 = graph.sum %x dims = [1] : (tensor<256x8192xf32>) -> tensor<256xf32>
  %1 = graph.max %x dims = [1] : (tensor<256x8192xf32>) -> tensor<256xf32>
  return %0, %1 : tensor<256xf32>, tensor<256xf32>
}

// Ten floats: five chunks of two, eight threads a row, four rows a warp. Where
// a thread has no chunk, it reads nothing and folds the neutral element, but
// takes part in the shuffles.
// CHECK-LABEL: gpu.func @short_0(
// CHECK-SAME: known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 16, 1, 1>
// CHECK: %[[IN:.*]] = arith.cmpi ult, %{{.*}}, %c5_i32
// CHECK: %[[X:.*]] = scf.if %[[IN]] -> (vector<2xf32>)
// CHECK: vector.load {{.*}} {alignment = 8 : i64} : memref<640xf32>, vector<2xf32>
// CHECK: arith.select %[[IN]], %[[X]], %{{.*}} : vector<2xf32>
// CHECK: gpu.shuffle xor %{{.*}}, %c4_i32, %c32_i32
// CHECK: gpu.shuffle xor %{{.*}}, %c2_i32, %c32_i32
// CHECK: gpu.shuffle xor %{{.*}}, %c1_i32, %c32_i32
// CHECK: scf.if %[[IN]]
// CHECK: vector.store
func.func @short(%x: tensor<64x10xf32>) -> tensor<64x10xf32> {
  %0 = graph.softmax %x dim = 1 : (tensor<64x10xf32>) -> tensor<64x10xf32>
  return %0 : tensor<64x10xf32>
}

// 5 rows in blocks of 4: the row may not be there, either.
// CHECK-LABEL: gpu.func @rows_0(
// CHECK: %[[ROW:.*]] = arith.cmpi ult, %{{.*}}, %c5_i32
// CHECK: %[[COLUMN:.*]] = arith.cmpi ult, %{{.*}}, %c5_i32
// CHECK: arith.andi %[[ROW]], %[[COLUMN]]
func.func @rows(%x: tensor<5x10xf32>) -> tensor<5x10xf32> {
  %0 = graph.softmax %x dim = 1 : (tensor<5x10xf32>) -> tensor<5x10xf32>
  return %0 : tensor<5x10xf32>
}

// The dims that are reduced are one row, whatever lies between them in memory.
// CHECK-LABEL: gpu.func @dims_0(
// CHECK: arith.remui %{{.*}}, %c4_i32
// CHECK: arith.divui %{{.*}}, %c4_i32
// CHECK: vector.load {{.*}} vector<4xf32>
func.func @dims(%x: tensor<8x3x16xf32>) -> tensor<3xf32> {
  %0 = graph.sum %x dims = [0, 2] : (tensor<8x3x16xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// f64 in two words per shuffle is the target's business.
// CHECK-LABEL: gpu.func @doubles_0(
// CHECK: vector.load {{.*}} vector<2xf64>
// CHECK: gpu.shuffle xor {{.*}} : f64
func.func @doubles(%x: tensor<64x64xf64>) -> tensor<64xf64> {
  %0 = graph.sum %x dims = [1] : (tensor<64x64xf64>) -> tensor<64xf64>
  return %0 : tensor<64xf64>
}

// The result may overwrite %s, of which every thread of the row needs the
// element: all have read it when they have met.
// CHECK-LABEL: gpu.func @overwritten_0(
// CHECK: memref.load %{{.*}} : memref<64xf32>
// CHECK: gpu.barrier
// CHECK: gpu.shuffle
// CHECK-NOT: memref.load
// CHECK: memref.store %{{.*}} : memref<64xf32>
func.func @overwritten(%x: tensor<64x128xf32>, %s: tensor<64xf32>) -> tensor<64xf32> {
  %0 = graph.sum %x dims = [1] : (tensor<64x128xf32>) -> tensor<64xf32>
  %1 = graph.mul %0, %s : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %1 : tensor<64xf32>
}

// With strict rounding each op's result is rounded, also that of a sum.
// STRICT-LABEL: gpu.func @rounded_0(
// STRICT: arith.negf
// STRICT-NEXT: arith.truncf
// STRICT-NEXT: arith.extf
// STRICT: gpu.shuffle {{.*}}%c1_i32, %c32_i32
// STRICT-NEXT: arith.addf
// STRICT-NEXT: %[[ROUNDED:.*]] = arith.truncf {{.*}} to f16
// STRICT: memref.store %[[ROUNDED]]
func.func @rounded(%x: tensor<64x128xf16>) -> tensor<64xf16> {
  %0 = graph.neg %x : tensor<64x128xf16>
  %1 = graph.sum %0 dims = [1] : (tensor<64x128xf16>) -> tensor<64xf16>
  return %1 : tensor<64xf16>
}

// All results of an op count: four words of each element are kept, too many for
// a warp, so that a row takes a block.
// CHECK-LABEL: gpu.func @words_0(
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 4096, 1, 1>
func.func @words(%c: tensor<4096x1024xi32>, %k: tensor<i32>) -> tensor<4096x1024xi32> {
  %w:4 = graph.philox %c, %k, %k, %k key %k, %k : (tensor<4096x1024xi32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<4096x1024xi32>, tensor<4096x1024xi32>, tensor<4096x1024xi32>, tensor<4096x1024xi32>)
  %0 = graph.add %w#0, %w#1 : (tensor<4096x1024xi32>, tensor<4096x1024xi32>) -> tensor<4096x1024xi32>
  %1 = graph.add %w#2, %w#3 : (tensor<4096x1024xi32>, tensor<4096x1024xi32>) -> tensor<4096x1024xi32>
  %2 = graph.mul %0, %1 : (tensor<4096x1024xi32>, tensor<4096x1024xi32>) -> tensor<4096x1024xi32>
  %3 = graph.sum %2 dims = [1] keep : (tensor<4096x1024xi32>) -> tensor<4096x1xi32>
  %4 = graph.maximum %w#0, %w#1 : (tensor<4096x1024xi32>, tensor<4096x1024xi32>) -> tensor<4096x1024xi32>
  %5 = graph.maximum %w#2, %w#3 : (tensor<4096x1024xi32>, tensor<4096x1024xi32>) -> tensor<4096x1024xi32>
  %6 = graph.mul %4, %5 : (tensor<4096x1024xi32>, tensor<4096x1024xi32>) -> tensor<4096x1024xi32>
  %7 = graph.add %6, %3 : (tensor<4096x1024xi32>, tensor<4096x1xi32>) -> tensor<4096x1024xi32>
  return %7 : tensor<4096x1024xi32>
}
