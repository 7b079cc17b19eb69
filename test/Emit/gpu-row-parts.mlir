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

// Longer rows take a block, whose warps exchange one sum per row: they wait
// once more before the next row's. No columns are shared. The last part has
// four rows.
// CHECK-LABEL: gpu.func @long_0(
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 13, 1, 1>
// CHECK: scf.for %{{.*}} = %c0_i32 to %c8_i32 step %c1_i32 iter_args(
// CHECK: arith.cmpi ult
// CHECK: gpu.barrier
// CHECK: gpu.barrier
// CHECK: scf.yield %{{.*}} : vector<4xf32>
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func @long(%x: tensor<100x4096xf32>) -> (tensor<100x4096xf32>, tensor<13x4096xf32>) {
  %s = graph.sum %x dims = [1] keep : (tensor<100x4096xf32>) -> tensor<100x1xf32>
  %y = graph.mul %x, %s : (tensor<100x4096xf32>, tensor<100x1xf32>) -> tensor<100x4096xf32>
  %p = graph.partial_sum %y dims = [0] rows = 8 : (tensor<100x4096xf32>) -> tensor<13x4096xf32>
  return %y, %p : tensor<100x4096xf32>, tensor<13x4096xf32>
}
