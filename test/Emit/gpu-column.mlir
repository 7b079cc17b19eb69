// Column kernels on a GPU: threads along the columns, several for each, and
// several blocks if there are rows enough.
// RUN: mpc-opt %s --mpc-decompose --cse --mpc-group --mpc-emit-kernels=gpu=sm_90 --canonicalize --cse | FileCheck %s

// A gradient of a bias. 96 chunks of 8 columns, 32 to a block, 8 threads for
// each; so 3 blocks across. 3 blocks run on each of 132 multiprocessors at once: 131
// blocks of rows leave their sums in the workspace, 768 of each; the second
// stage adds them up.
// CHECK-LABEL: gpu.func @bias_0(
// CHECK-SAME: %{{.*}}: memref<65536x768xf16>
// CHECK-SAME: %[[WORK:[a-z0-9]+]]: memref<402432xi8>
// CHECK-SAME: workgroup(%[[SHARED:.*]] : memref<2048xf32
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 393, 1, 1>
// Four rows at a time, whose loads come first.
// CHECK: scf.for {{.*}} step %c4{{.*}} -> (vector<8xf32>)
// CHECK-COUNT-4: vector.load {{.*}} {alignment = 16 : i64} : memref<50331648xf16>, vector<8xf16>
// CHECK-COUNT-4: arith.addf {{.*}} : vector<8xf32>
// CHECK: scf.for {{.*}} -> (vector<8xf32>)
// The threads of a column meet; each has the sum.
// CHECK: vector.store {{.*}}, %[[SHARED]][
// CHECK: gpu.barrier
// CHECK-COUNT-5: vector.load %[[SHARED]][
// One of them writes it.
// CHECK: memref.view %[[WORK]]
// CHECK: scf.if
// CHECK: vector.store {{.*}} vector<8xf32>
// CHECK: gpu.return
// CHECK-LABEL: gpu.func @bias_0_1(
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 24, 1, 1>
// CHECK: memref.view
// CHECK-COUNT-2: scf.for
// CHECK: gpu.barrier
// CHECK: gpu.barrier
// CHECK: arith.truncf {{.*}} vector<4xf32> to vector<4xf16>
// CHECK: vector.store {{.*}} memref<768xf16>
// CHECK-NOT: atomic
func.func @bias(%x: tensor<65536x768xf16>) -> tensor<768xf16> {
  %0 = graph.sum %x dims = [0] : (tensor<65536x768xf16>) -> tensor<768xf16>
  return %0 : tensor<768xf16>
}

// Few rows: one stage, which needs no workspace. Blocks have two columns of 16
// bytes, as few as memory moves.
// CHECK-LABEL: gpu.func @few_0(
// CHECK-NOT: xi8>
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 64, 1, 1>
// CHECK: gpu.return
func.func @few(%x: tensor<128x512xf32>) -> tensor<512xf32> {
  %0 = graph.sum %x dims = [0] : (tensor<128x512xf32>) -> tensor<512xf32>
  return %0 : tensor<512xf32>
}

// Ten columns are five chunks; 51 threads for each.
// CHECK-LABEL: gpu.func @ten_0(
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 131, 1, 1>
// CHECK: vector.load {{.*}} {alignment = 8 : i64} : memref<600000xf32>, vector<2xf32>
// CHECK-LABEL: gpu.func @ten_0_1(
// CHECK-SAME: known_grid_size = array<i32: 1, 1, 1>
// CHECK: gpu.barrier
// CHECK: scf.for unsigned
// CHECK-COUNT-2: vector.load
// CHECK: mpc.rolled
// CHECK: gpu.barrier
func.func @ten(%x: tensor<60000x10xf32>) -> tensor<10xf32> {
  %0 = graph.sum %x dims = [0] : (tensor<60000x10xf32>) -> tensor<10xf32>
  return %0 : tensor<10xf32>
}

// A stage per sweep: the maxima, the sums of what lies below them, the results.
// CHECK-LABEL: gpu.func @softmax_0(
// CHECK: arith.maximumf
// CHECK-NOT: math.exp
// CHECK-LABEL: gpu.func @softmax_0_1(
// CHECK: memref.view
// CHECK: arith.maximumf
// CHECK: math.exp
// CHECK-LABEL: gpu.func @softmax_0_2(
// CHECK: arith.maximumf
// CHECK: math.exp
// CHECK: vector.store {{.*}} memref<524288xf32>
// CHECK-NOT: gpu.func @softmax_0_3
func.func @softmax(%x: tensor<8192x64xf32>) -> tensor<8192x64xf32> {
  %0 = graph.softmax %x dim = 0 : (tensor<8192x64xf32>) -> tensor<8192x64xf32>
  return %0 : tensor<8192x64xf32>
}
