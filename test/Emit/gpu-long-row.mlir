// RUN: mpc-opt %s --mpc-decompose --cse --mpc-group --mpc-emit-kernels=gpu=sm_90 --canonicalize --cse | FileCheck %s
// RUN: mpc-opt %s --mpc-decompose --cse --mpc-group --mpc-emit-kernels="gpu=sm_90 strict" --canonicalize --cse | FileCheck %s --check-prefix=STRICT
// Rows that do not fit into the registers of a block: each sweep reads them
// again.

// The longest row that 1024 threads keep.
// CHECK-LABEL: gpu.func @kept_0(
// CHECK-SAME: known_block_size = array<i32: 1024, 1, 1>
// CHECK-NOT: scf.for
// CHECK-COUNT-8: vector.load
// CHECK-NOT: vector.load
// CHECK: gpu.return
func.func @kept(%x: tensor<200x32768xf32>) -> tensor<200x32768xf32> {
  %0 = graph.softmax %x dim = 1 : (tensor<200x32768xf32>) -> tensor<200x32768xf32>
  return %0 : tensor<200x32768xf32>
}

// A sum of exp(x - max(x)) does not wait for the maximum: it refers to the
// largest element so far, of all threads in the end. So there are two loops, not
// three. 50000 halves are 6250 chunks: 6 rounds of 2 per thread, then 106.
// CHECK-LABEL: gpu.func @online_0(
// CHECK-SAME: known_block_size = array<i32: 512, 1, 1>, known_grid_size = array<i32: 200, 1, 1>
// CHECK: scf.for %{{.*}} = %c0_i32 to %c6_i32 step %c1_i32 iter_args(%[[OLD:.*]] = %{{.*}}, %[[SUM:.*]] = %{{.*}}) -> (f32, vector<8xf32>)
// CHECK-COUNT-2: vector.load {{.*}} {alignment = 16 : i64} : memref<10000000xf16>, vector<8xf16>
// CHECK: %[[NEW:.*]] = arith.maximumf %[[OLD]], %{{.*}} : f32
// CHECK: %[[DIFFERENCE:.*]] = arith.subf %[[OLD]], %[[NEW]]
// CHECK: %[[POWER:.*]] = math.exp %[[DIFFERENCE]] fastmath<afn> : f32
// CHECK: %[[SAME:.*]] = arith.cmpf oeq, %[[OLD]], %[[NEW]]
// CHECK: %[[SCALE:.*]] = arith.select %[[SAME]], %{{.*}}, %[[POWER]]
// CHECK: %[[SPREAD:.*]] = vector.broadcast %[[SCALE]]
// CHECK: arith.mulf %[[SUM]], %[[SPREAD]]
// CHECK: %[[SIZE:.*]] = math.absf %[[NEW]]
// CHECK: %[[INFINITE:.*]] = arith.cmpf oeq, %[[SIZE]]
// CHECK: arith.select %[[INFINITE]]
// CHECK-COUNT-2: math.exp {{.*}} vector<8xf32>
// CHECK: scf.yield %[[NEW]]
// CHECK: arith.cmpi ult, %{{.*}}, %c6250_i32
// CHECK: scf.if
// CHECK: vector.load
// CHECK: gpu.barrier
// The maximum of the row is known: each thread's sum is made to refer to it.
// CHECK: math.exp {{.*}} : f32
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK-COUNT-2: vector.store
// CHECK-NOT: scf.for
// CHECK: gpu.return

// Rounded differences cannot be scaled afterwards.
// STRICT-LABEL: gpu.func @online_0(
// STRICT-NOT: fastmath
// STRICT-COUNT-3: scf.for
// STRICT-NOT: scf.for
// STRICT: gpu.return
func.func @online(%x: tensor<200x50000xf16>) -> tensor<200x50000xf16> {
  %0 = graph.softmax %x dim = 1 : (tensor<200x50000xf16>) -> tensor<200x50000xf16>
  return %0 : tensor<200x50000xf16>
}

// Where the sum is not rounded to 16 bits all digits are asked for.
// CHECK-LABEL: gpu.func @online_wide_0(
// CHECK: math.exp
// CHECK-NOT: fastmath<afn>
// CHECK: gpu.return
func.func @online_wide(%x: tensor<200x50000xf16>) -> tensor<200xf32> {
  %0 = graph.cast %x : (tensor<200x50000xf16>) -> tensor<200x50000xf32>
  %1 = graph.logsumexp %0 dims = [1] : (tensor<200x50000xf32>) -> tensor<200xf32>
  return %1 : tensor<200xf32>
}

// The sum is not rounded; what the last sweep computes again is.
// CHECK-LABEL: gpu.func @online_both_0(
// CHECK-NOT: fastmath<afn>
// CHECK: gpu.barrier
// CHECK-NOT: fastmath<afn>
// CHECK: gpu.barrier
// CHECK: math.exp {{.*}} fastmath<afn> : vector<8xf32>
// CHECK: arith.truncf
// CHECK: gpu.return
func.func @online_both(%x: tensor<200x50000xf16>) -> (tensor<200x50000xf16>, tensor<200x1xf32>) {
  %0 = graph.cast %x : (tensor<200x50000xf16>) -> tensor<200x50000xf32>
  %1 = graph.max %0 dims = [1] keep : (tensor<200x50000xf32>) -> tensor<200x1xf32>
  %2 = graph.sub %0, %1 : (tensor<200x50000xf32>, tensor<200x1xf32>) -> tensor<200x50000xf32>
  %3 = graph.exp %2 : tensor<200x50000xf32>
  %4 = graph.sum %3 dims = [1] keep : (tensor<200x50000xf32>) -> tensor<200x1xf32>
  %5 = graph.div %3, %4 : (tensor<200x50000xf32>, tensor<200x1xf32>) -> tensor<200x50000xf32>
  %6 = graph.cast %5 : (tensor<200x50000xf32>) -> tensor<200x50000xf16>
  return %6, %4 : tensor<200x50000xf16>, tensor<200x1xf32>
}

// A difference that is rounded in between is none, either.
// CHECK-LABEL: gpu.func @cast_0(
// CHECK: scf.for
// CHECK: scf.for
// Of f32 an exponential is as exact as it can be.
// CHECK: math.exp %{{[^ ]*}} : vector
func.func @cast(%x: tensor<200x50000xf32>) -> tensor<200x1xf32> {
  %m = graph.max %x dims = [1] keep : (tensor<200x50000xf32>) -> tensor<200x1xf32>
  %d = graph.sub %x, %m : (tensor<200x50000xf32>, tensor<200x1xf32>) -> tensor<200x50000xf32>
  %h = graph.cast %d : (tensor<200x50000xf32>) -> tensor<200x50000xf16>
  %f = graph.cast %h : (tensor<200x50000xf16>) -> tensor<200x50000xf32>
  %e = graph.exp %f : tensor<200x50000xf32>
  %s = graph.sum %e dims = [1] keep : (tensor<200x50000xf32>) -> tensor<200x1xf32>
  return %s : tensor<200x1xf32>
}

// Four chunks are added in pairs, then to the sum: additions need not wait for
// each other.
// CHECK-LABEL: gpu.func @sum_0(
// CHECK: scf.for {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}) -> (vector<4xf32>)
// CHECK: %[[A:.*]] = vector.load
// CHECK: %[[B:.*]] = vector.load
// CHECK: %[[C:.*]] = vector.load
// CHECK: %[[D:.*]] = vector.load
// CHECK: %[[AC:.*]] = arith.addf %[[A]], %[[C]]
// CHECK: %[[BD:.*]] = arith.addf %[[B]], %[[D]]
// CHECK: %[[ALL:.*]] = arith.addf %[[AC]], %[[BD]]
// CHECK: arith.addf %[[SUM]], %[[ALL]]
func.func @sum(%x: tensor<2000x100000xf32>) -> tensor<2000xf32> {
  %0 = graph.sum %x dims = [1] : (tensor<2000x100000xf32>) -> tensor<2000xf32>
  return %0 : tensor<2000xf32>
}

// One row of 16 million halves would keep one block busy: 512 blocks fold a
// part each, and a second launch folds the parts. What there is one of per row
// is computed there.
// CHECK-LABEL: gpu.func @parts_0(
// CHECK-SAME: %[[WORKSPACE:arg2]]: memref<2048xi8>
// CHECK-SAME: known_block_size = array<i32: 512, 1, 1>, known_grid_size = array<i32: 512, 1, 1>, mpc.workspace_bytes = 2048 : i64}
// CHECK: memref.view %[[WORKSPACE]]{{.*}} memref<2048xi8> to memref<512xf32>
// CHECK: scf.for
// CHECK-NOT: {{arith.(divf|mulf)}}
// CHECK: memref.store {{.*}} memref<512xf32>
// CHECK-NEXT: }
// CHECK-NEXT: gpu.return
// CHECK-LABEL: gpu.func @parts_0_1(
// CHECK-SAME: known_block_size = array<i32: 512, 1, 1>, known_grid_size = array<i32: 1, 1, 1>}
// CHECK-NOT: scf.for
// CHECK: memref.load {{.*}} memref<512xf32>
// CHECK: gpu.shuffle
// CHECK: gpu.barrier
// CHECK: arith.divf
// CHECK: memref.store {{.*}} memref<1xf32>
func.func @parts(%x: tensor<16777216xf16>) -> tensor<f32> {
  %c = graph.cast %x : (tensor<16777216xf16>) -> tensor<16777216xf32>
  %0 = graph.mean %c dims = [0] : (tensor<16777216xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// All elements of a tensor are one row, beside what the sweep stores.
// CHECK-LABEL: gpu.func @everything_0(
// CHECK-SAME: known_block_size = array<i32: 512, 1, 1>, known_grid_size = array<i32: 392, 1, 1>, mpc.workspace_bytes = 1792 : i64}
// CHECK: vector.store {{.*}} memref<6422528xf32>
// CHECK: memref.store {{.*}} memref<392xf32>
// CHECK-LABEL: gpu.func @everything_0_1(
// CHECK-SAME: known_grid_size = array<i32: 1, 1, 1>}
// CHECK: memref.load {{.*}} memref<392xf32>
// CHECK: memref.store {{.*}} memref<1xf32>
func.func @everything(%x: tensor<8x64x112x112xf32>) -> (tensor<f32>, tensor<8x64x112x112xf32>) {
  %e = graph.exp %x : tensor<8x64x112x112xf32>
  %0 = graph.sum %e dims = [0, 1, 2, 3] : (tensor<8x64x112x112xf32>) -> tensor<f32>
  return %0, %e : tensor<f32>, tensor<8x64x112x112xf32>
}

// Few rows that need two sweeps: blocks as large as can be.
// CHECK-LABEL: gpu.func @few_0(
// CHECK-SAME: known_block_size = array<i32: 1024, 1, 1>, known_grid_size = array<i32: 8, 1, 1>
func.func @few(%x: tensor<8x50000xf32>) -> tensor<8x50000xf32> {
  %0 = graph.softmax %x dim = 1 : (tensor<8x50000xf32>) -> tensor<8x50000xf32>
  return %0 : tensor<8x50000xf32>
}

// What two sweeps read lies in shared memory from the first on: each thread
// reads what it has written, so there is no barrier more. 100514 bytes are what
// every GPU has, and on sm_90 two blocks run side by side.
// CHECK-LABEL: gpu.func @shared_0(
// CHECK-SAME: %[[X:.*]]: memref<200x50257xbf16>
// CHECK-SAME: mpc.shared_bytes = 100608 : i64
// CHECK: %[[BYTES:.*]] = gpu.dynamic_shared_memory
// CHECK: %[[ROW:.*]] = memref.view %[[BYTES]][%c0][] : {{.*}} to memref<50257xbf16, #gpu.address_space<workgroup>>
// CHECK: scf.for
// CHECK: memref.load {{.*}} : memref<10051400xbf16>
// CHECK: memref.store {{.*}}, %[[ROW]]
// CHECK: scf.for
// CHECK-NOT: memref<10051400xbf16>{{$}}
// CHECK: memref.load %[[ROW]]
func.func @shared(%x: tensor<200x50257xbf16>) -> tensor<200x50257xf32> {
  %f = graph.cast %x : (tensor<200x50257xbf16>) -> tensor<200x50257xf32>
  %0 = graph.softmax %f dim = 1 : (tensor<200x50257xf32>) -> tensor<200x50257xf32>
  return %0 : tensor<200x50257xf32>
}

// A sum that needs no second sweep keeps nothing; neither does a row that is too
// long, or an operand that is the same in each row.
// CHECK-LABEL: gpu.func @once_0(
// CHECK-NOT: gpu.dynamic_shared_memory
// CHECK: gpu.return
// CHECK-LABEL: gpu.func @long_0(
// CHECK-NOT: gpu.dynamic_shared_memory
// CHECK: gpu.return
// CHECK-LABEL: gpu.func @weighted_0(
// CHECK: gpu.dynamic_shared_memory
// CHECK: memref.view {{.*}} to memref<40000xbf16
// CHECK-NOT: memref.view
// CHECK: gpu.return
func.func @once(%x: tensor<200x50000xf16>) -> tensor<200xf32> {
  %f = graph.cast %x : (tensor<200x50000xf16>) -> tensor<200x50000xf32>
  %m = graph.max %f dims = [1] keep : (tensor<200x50000xf32>) -> tensor<200x1xf32>
  %d = graph.sub %f, %m : (tensor<200x50000xf32>, tensor<200x1xf32>) -> tensor<200x50000xf32>
  %e = graph.exp %d : tensor<200x50000xf32>
  %0 = graph.sum %e dims = [1] : (tensor<200x50000xf32>) -> tensor<200xf32>
  return %0 : tensor<200xf32>
}
func.func @long(%x: tensor<200x50257xf32>) -> tensor<200x50257xf32> {
  %0 = graph.softmax %x dim = 1 : (tensor<200x50257xf32>) -> tensor<200x50257xf32>
  return %0 : tensor<200x50257xf32>
}
func.func @weighted(%x: tensor<200x40000xbf16>, %w: tensor<40000xbf16>) -> tensor<200x40000xf32> {
  %f = graph.cast %x : (tensor<200x40000xbf16>) -> tensor<200x40000xf32>
  %v = graph.cast %w : (tensor<40000xbf16>) -> tensor<40000xf32>
  %p = graph.mul %f, %v : (tensor<200x40000xf32>, tensor<40000xf32>) -> tensor<200x40000xf32>
  %s = graph.sum %p dims = [1] keep : (tensor<200x40000xf32>) -> tensor<200x1xf32>
  %y = graph.mul %p, %s : (tensor<200x40000xf32>, tensor<200x1xf32>) -> tensor<200x40000xf32>
  return %y : tensor<200x40000xf32>
}
