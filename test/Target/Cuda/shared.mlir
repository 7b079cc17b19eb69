// Dynamic shared memory lies behind the static arrays: declared as extern, in
// which ptxas lays no other.
// REQUIRES: cuda-toolkit
// RUN: gpu-to-ptx %s --arch=sm_80,sm_120 2>/dev/null | FileCheck %s
gpu.module @kernels {
  // CHECK: .extern .shared .align 16 .b8 [[DYNAMIC:.*]][];
  // CHECK-LABEL: .entry turn
  // CHECK: .shared .align 4 .b8 {{.*}}[128]
  // CHECK-NOT: .shared .align
  // CHECK: [[DYNAMIC]]
  // CHECK: ret;
  gpu.func @turn(%x: memref<32xf32>, %y: memref<32xf32>)
      workgroup(%static: memref<32xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %zero = arith.constant 0 : index
    %last = arith.constant 31 : index
    %thread = gpu.thread_id x
    %other = arith.subi %last, %thread : index
    %bytes = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %dynamic = memref.view %bytes[%zero][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<32xf32, #gpu.address_space<workgroup>>
    %v = memref.load %x[%thread] : memref<32xf32>
    memref.store %v, %dynamic[%thread] : memref<32xf32, #gpu.address_space<workgroup>>
    %w = arith.negf %v : f32
    memref.store %w, %static[%thread] : memref<32xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %a = memref.load %dynamic[%other] : memref<32xf32, #gpu.address_space<workgroup>>
    %b = memref.load %static[%other] : memref<32xf32, #gpu.address_space<workgroup>>
    %sum = arith.addf %a, %b : f32
    memref.store %sum, %y[%thread] : memref<32xf32>
    gpu.return
  }
}
