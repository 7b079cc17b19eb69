// Warps, shared memory, barriers.
// REQUIRES: cuda-toolkit
// RUN: gpu-to-ptx %s --arch=sm_80,sm_120 2>/dev/null | FileCheck %s
gpu.module @kernels {
  // Block size, static shared memory.
  // CHECK-LABEL: .entry block_sum
  // CHECK: .maxntid 256
  // CHECK: .shared .align 4 .b8 {{.*}}[32]
  // CHECK-COUNT-5: shfl.sync.bfly.b32
  // CHECK: st.shared.b32
  // CHECK: bar.sync
  // CHECK-NOT: div
  // CHECK: ret;
  gpu.func @block_sum(%x: memref<256xf32>, %y: memref<8xf32>)
      workgroup(%shared: memref<8xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %zero = arith.constant 0 : index
    %thread = gpu.thread_id x
    %lane = gpu.lane_id
    %warp = gpu.subgroup_id : index
    %v = memref.load %x[%thread] : memref<256xf32>
    %sum = gpu.subgroup_reduce add %v : (f32) -> f32
    %first = arith.cmpi eq, %lane, %zero : index
    scf.if %first {
      memref.store %sum, %shared[%warp] : memref<8xf32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    scf.if %first {
      %s = memref.load %shared[%warp] : memref<8xf32, #gpu.address_space<workgroup>>
      memref.store %s, %y[%warp] : memref<8xf32>
    }
    gpu.return
  }
  // Two kernels of one module with dynamic shared memory.
  // CHECK-LABEL: .entry dynamic_a
  // CHECK: ld.shared.v4.b32
  gpu.func @dynamic_a(%x: memref<1024xf32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %zero = arith.constant 0 : index
    %four = arith.constant 4 : index
    %bytes = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %shared = memref.view %bytes[%zero][] : memref<?xi8, #gpu.address_space<workgroup>>
      to memref<1024xf32, #gpu.address_space<workgroup>>
    %thread = gpu.thread_id x
    %at = arith.muli %thread, %four : index
    %v = vector.load %x[%at] {alignment = 16 : i64} : memref<1024xf32>, vector<4xf32>
    vector.store %v, %shared[%at] {alignment = 16 : i64} : memref<1024xf32, #gpu.address_space<workgroup>>, vector<4xf32>
    gpu.barrier
    %c1020 = arith.constant 1020 : index
    %back = arith.subi %c1020, %at : index
    %w = vector.load %shared[%back] {alignment = 16 : i64} : memref<1024xf32, #gpu.address_space<workgroup>>, vector<4xf32>
    vector.store %w, %x[%at] {alignment = 16 : i64} : memref<1024xf32>, vector<4xf32>
    gpu.return
  }
  // CHECK-LABEL: .entry dynamic_b
  gpu.func @dynamic_b(%x: memref<8xf32>) kernel {
    %zero = arith.constant 0 : index
    %bytes = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %shared = memref.view %bytes[%zero][] : memref<?xi8, #gpu.address_space<workgroup>>
      to memref<8xf32, #gpu.address_space<workgroup>>
    %thread = gpu.thread_id x
    %v = memref.load %x[%thread] : memref<8xf32>
    memref.store %v, %shared[%thread] : memref<8xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %w = memref.load %shared[%zero] : memref<8xf32, #gpu.address_space<workgroup>>
    memref.store %w, %x[%thread] : memref<8xf32>
    gpu.return
  }
}
