// RUN: mpc-opt %s --mpc-decompose --cse --mpc-group --mpc-emit-kernels --canonicalize --cse | FileCheck %s
// RUN: mpc-opt %s --mpc-decompose --cse --mpc-group --mpc-emit-kernels=gpu=sm_90 --canonicalize --cse | FileCheck %s --check-prefix=GPU
// Long sums are sums of sums: at most 64 terms one after the other, then at
// most 16 sums.

// On the CPU four accumulators of 16 lanes take 64 elements at a time: 4096 of
// them are a block, 16 blocks a block of the next size.
// CHECK-LABEL: func.func @row_0(
// CHECK: scf.for %[[I:.*]] = %c0 to %c1048576 step %c65536 iter_args(%[[OUTER:[a-z0-9]*]] = %[[ZERO:[a-z0-9_]*]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[I]], %c65536
// CHECK: %[[END:.*]] = arith.minui %[[NEXT]], %c1048576
// CHECK: %[[SUMS:.*]]:4 = scf.for %[[J:.*]] = %[[I]] to %[[END]] step %c4096 iter_args(%[[MIDDLE:[a-z0-9]*]] = %[[ZERO]]
// CHECK: scf.for %{{.*}} = %[[J]] to %{{.*}} step %c64 iter_args(%[[INNER:[a-z0-9]*]] = %[[ZERO]]
// CHECK: arith.addf %[[INNER]], %{{.*}} : vector<16xf32>
// CHECK: arith.addf %[[MIDDLE]], %{{.*}}#0 : vector<16xf32>
// CHECK: arith.addf %[[OUTER]], %[[SUMS]]#0 : vector<16xf32>
func.func @row(%x: tensor<1048576xf32>) -> tensor<f32> {
  %0 = graph.sum %x dims = [0] : (tensor<1048576xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// On a GPU 2^22 elements are 512 rounds of 512 threads; 64 rounds are a block.
// What is online refers to the maximum of its block, then to that of the thread.
// GPU-LABEL: gpu.func @online_0(
// GPU-SAME: known_block_size = array<i32: 512, 1, 1>
// GPU: scf.for %[[BLOCK:.*]] = %c0_i32 to %c512_i32 step %c64_i32 iter_args(%[[MOST:.*]] = %[[NONE:.*]], %[[SUM:.*]] = %[[ZERO:.*]]) -> (f32, vector<4xf32>)
// GPU: %[[OF:.*]]:2 = scf.for {{.*}} = %[[BLOCK]] to {{.*}} step %c1_i32 iter_args(%{{.*}} = %[[NONE]], %{{.*}} = %[[ZERO]])
// GPU: scf.yield
// GPU: %[[NEW:.*]] = arith.maximumf %[[MOST]], %[[OF]]#0
// GPU: arith.subf %[[MOST]], %[[NEW]]
// GPU: %[[OLD:.*]] = arith.mulf %[[SUM]], %{{.*}} : vector<4xf32>
// GPU: arith.subf %[[OF]]#0, %[[NEW]]
// GPU: %[[MORE:.*]] = arith.mulf %[[OF]]#1, %{{.*}} : vector<4xf32>
// GPU: %[[TOTAL:.*]] = arith.addf %[[OLD]], %[[MORE]]
// GPU: scf.yield %[[NEW]], %[[TOTAL]]
func.func @online(%x: tensor<300x4194304xf32>) -> tensor<300x4194304xf32> {
  %0 = graph.softmax %x dim = 1 : (tensor<300x4194304xf32>) -> tensor<300x4194304xf32>
  return %0 : tensor<300x4194304xf32>
}

// The order of maxima, and of integers, does not matter.
// CHECK-LABEL: func.func @exact_0(
// CHECK: scf.for %{{.*}} = %c0 to %c1048576 step %c64
// CHECK-NOT: scf.for
// CHECK: return
func.func @exact(%x: tensor<1048576xf32>) -> tensor<f32> {
  %0 = graph.max %x dims = [0] : (tensor<1048576xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// The sum over one dim counts in that over the next one: 8 rows of 8 are 64
// terms, so that 8 iterations are a block.
// CHECK-LABEL: func.func @dims_0(
// CHECK: scf.for %{{.*}} = %c0 to %c1000 step %c128
// CHECK: scf.for %[[BLOCK:.*]] = {{.*}} step %c8
// CHECK: scf.for %{{.*}} = %[[BLOCK]] to %{{.*}} step %c1
// CHECK: scf.for %{{.*}} = %c0 to %c8 step %c1 iter_args
func.func @dims(%x: tensor<1000x3x8x64xf32>) -> tensor<3x64xf32> {
  %0 = graph.sum %x dims = [0, 2] : (tensor<1000x3x8x64xf32>) -> tensor<3x64xf32>
  return %0 : tensor<3x64xf32>
}
