// RUN: mpc-opt %s --mpc-group --mpc-emit-kernels=gpu=sm_90 --canonicalize --cse | FileCheck %s
// Columns beside rows: a block per part, whose threads keep their columns in
// registers while the rows go by.

// 768 halves are 96 chunks: 3 for each thread of a warp. Four warps take the 32
// rows of a part in turn; each tensor is loaded once. At the end the warps'
// columns meet in shared memory, one sum after the other.
// CHECK-LABEL: gpu.func @norm_0(
// CHECK-SAME: workgroup(%[[SHARED:[^ ]*]] : memref<3072xf32
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 1024, 1, 1>
// CHECK: %[[SUMS:.*]]:6 = scf.for %{{.*}} = %c0_i32 to %c8_i32 step %c1_i32 iter_args(
// CHECK-COUNT-6: vector.load {{.*}} vector<8xf16>
// CHECK-NOT: vector.load
// CHECK: gpu.shuffle
// CHECK-NOT: gpu.barrier
// CHECK-COUNT-3: vector.store {{.*}} vector<8xf16>
// CHECK: scf.yield
// CHECK-COUNT-3: vector.store {{.*}}, %[[SHARED]]
// CHECK: gpu.barrier
// CHECK-COUNT-4: vector.load %[[SHARED]]
// CHECK: vector.store {{.*}} memref<786432xf32>, vector<8xf32>
// CHECK: gpu.barrier
// CHECK-COUNT-3: vector.store {{.*}}, %[[SHARED]]
// CHECK: gpu.barrier
// CHECK-COUNT-4: vector.load %[[SHARED]]
// CHECK: vector.store {{.*}} memref<786432xf32>, vector<8xf32>
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func @norm(%x: tensor<32768x768xf16>, %d: tensor<32768x768xf16>) -> (tensor<32768x768xf16>, tensor<1024x768xf32>, tensor<1024x768xf32>) {
  %s = graph.sum %x dims = [1] keep : (tensor<32768x768xf16>) -> tensor<32768x1xf16>
  %y = graph.mul %x, %s : (tensor<32768x768xf16>, tensor<32768x1xf16>) -> tensor<32768x768xf16>
  %z = graph.mul %y, %d : (tensor<32768x768xf16>, tensor<32768x768xf16>) -> tensor<32768x768xf16>
  %p = graph.partial_sum %z dims = [0] rows = 32 : (tensor<32768x768xf16>) -> tensor<1024x768xf32>
  %q = graph.partial_sum %d dims = [0] rows = 32 : (tensor<32768x768xf16>) -> tensor<1024x768xf32>
  return %z, %p, %q : tensor<32768x768xf16>, tensor<1024x768xf32>, tensor<1024x768xf32>
}

// Longer rows are taken in tiles: two rows of four warps each lie in shared
// memory while the next two are copied. The rows are folded, one sum per row is
// left, and each thread computes its chunks of all rows of the tile and stores
// their columns at the end. The last part has four rows, so warps without a row
// repeat the last one.
// CHECK-LABEL: gpu.func @long_0(
// CHECK-SAME: workgroup(%[[TOTALS:[^ ]*]] : memref<2xf32, {{[^)]*}}, %[[SUMS:[^ ]*]] : memref<8xf32,
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 13, 1, 1>, mpc.shared_bytes = 65536
// CHECK: arith.minui
// CHECK-COUNT-8: nvgpu.device_async_copy {{.*}}, 4 {bypassL1}
// CHECK: scf.for %{{.*}} = %c0_i32 to %{{.*}} step %c1_i32 iter_args(
// CHECK-NEXT: %[[ALL:.*]] = nvgpu.device_async_create_group
// CHECK-NEXT: nvgpu.device_async_wait %[[ALL]]
// CHECK-NEXT: gpu.barrier
// CHECK: scf.if
// CHECK-COUNT-8: nvgpu.device_async_copy {{.*}}, 4 {bypassL1}
// CHECK-NOT: nvgpu
// CHECK-COUNT-4: vector.load {{.*}} memref<4096xf32, #gpu.address_space<workgroup>>
// CHECK: memref.store %{{.*}}, %[[SUMS]]
// CHECK: gpu.barrier
// CHECK: memref.load %[[SUMS]]
// CHECK: memref.store %{{.*}}, %[[TOTALS]]
// CHECK: gpu.barrier
// CHECK: arith.minui
// CHECK: scf.for
// CHECK: memref.load %[[TOTALS]]
// CHECK: vector.load {{.*}} memref<4096xf32, #gpu.address_space<workgroup>>
// CHECK: vector.store {{.*}} memref<409600xf32>
// CHECK-NOT: gpu.barrier
// CHECK-COUNT-4: vector.store {{.*}} memref<53248xf32>
// CHECK: gpu.return
func.func @long(%x: tensor<100x4096xf32>) -> (tensor<100x4096xf32>, tensor<13x4096xf32>) {
  %s = graph.sum %x dims = [1] keep : (tensor<100x4096xf32>) -> tensor<100x1xf32>
  %y = graph.mul %x, %s : (tensor<100x4096xf32>, tensor<100x1xf32>) -> tensor<100x4096xf32>
  %p = graph.partial_sum %y dims = [0] rows = 8 : (tensor<100x4096xf32>) -> tensor<13x4096xf32>
  return %y, %p : tensor<100x4096xf32>, tensor<13x4096xf32>
}

// Rows whose number of bytes is no multiple of 4 cannot be copied so: a block
// shares one row at a time and waits twice for its sum.
// CHECK-LABEL: gpu.func @odd_0(
// CHECK-SAME: known_block_size = array<i32: 512, 1, 1>, known_grid_size = array<i32: 2, 1, 1>
// CHECK-NOT: nvgpu
// CHECK: gpu.barrier
// CHECK: gpu.barrier
// CHECK: gpu.return
func.func @odd(%x: tensor<64x4097xf16>) -> (tensor<64x4097xf16>, tensor<2x4097xf32>) {
  %s = graph.sum %x dims = [1] keep : (tensor<64x4097xf16>) -> tensor<64x1xf16>
  %y = graph.mul %x, %s : (tensor<64x4097xf16>, tensor<64x1xf16>) -> tensor<64x4097xf16>
  %p = graph.partial_sum %y dims = [0] rows = 32 : (tensor<64x4097xf16>) -> tensor<2x4097xf32>
  return %y, %p : tensor<64x4097xf16>, tensor<2x4097xf32>
}
