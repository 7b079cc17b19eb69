// What cannot be compiled ends in a diagnostic at the kernel, never in an
// aborted process.
// REQUIRES: cuda-toolkit
// RUN: rm -rf %t && split-file %s %t
// RUN: not gpu-to-ptx %t/fatal.mlir 2>&1 | FileCheck %s --check-prefix=FATAL
// RUN: not gpu-to-ptx %t/dynamic.mlir 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// RUN: not gpu-to-ptx %t/narrow.mlir 2>&1 | FileCheck %s --check-prefix=NARROW
// RUN: not gpu-to-ptx %t/empty.mlir --arch=sm_70 2>&1 | FileCheck %s --check-prefix=ARCH
// RUN: not gpu-to-ptx %t/shared.mlir 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: not gpu-to-ptx %t/name.mlir 2>&1 | FileCheck %s --check-prefix=NAME

//--- name.mlir
// NAME: name.mlir:3:3: error: expected a name of letters, digits and _, as PTX has them, but got 'k.1'
gpu.module @kernels {
  gpu.func @k.1(%x: memref<1xf32>) kernel {
    gpu.return
  }
}

//--- fatal.mlir
// FATAL: fatal.mlir:3:3: error: kernel 'quad' for sm_90: LLVM: unsupported library call operation
gpu.module @kernels {
  gpu.func @quad(%x: memref<1xf128>) kernel {
    %zero = arith.constant 0 : index
    %v = memref.load %x[%zero] : memref<1xf128>
    %r = arith.addf %v, %v : f128
    memref.store %r, %x[%zero] : memref<1xf128>
    gpu.return
  }
}

//--- dynamic.mlir
// DYNAMIC: error: failed to legalize operation 'gpu.func'
// DYNAMIC: error: kernel 'sized' for sm_90: cannot be lowered
gpu.module @kernels {
  gpu.func @sized(%x: memref<?xf32>) kernel {
    gpu.return
  }
}

//--- narrow.mlir
// f64 would be rounded twice on the way.
// NARROW: error: failed to legalize operation 'arith.truncf'
gpu.module @kernels {
  gpu.func @narrow(%x: memref<1xf64>, %y: memref<1xf8E4M3FN>) kernel {
    %zero = arith.constant 0 : index
    %v = memref.load %x[%zero] : memref<1xf64>
    %r = arith.truncf %v : f64 to f8E4M3FN
    memref.store %r, %y[%zero] : memref<1xf8E4M3FN>
    gpu.return
  }
}

//--- empty.mlir
// ARCH: error: expected one of the architectures sm_80, sm_86, sm_89, sm_90, sm_100, sm_120, but got 'sm_70'
gpu.module @kernels {
}

//--- shared.mlir
// More static shared memory than there is: ptxas says so.
// SHARED: error: '{{.*}}ptxas{{.*}}' failed with exit code {{.*}}uses too much shared data
gpu.module @kernels {
  gpu.func @huge(%x: memref<1xf32>) workgroup(%s: memref<1000000xf32, #gpu.address_space<workgroup>>) kernel {
    %thread = gpu.thread_id x
    %zero = arith.constant 0 : index
    %own = memref.load %x[%zero] : memref<1xf32>
    memref.store %own, %s[%thread] : memref<1000000xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %v = memref.load %s[%zero] : memref<1000000xf32, #gpu.address_space<workgroup>>
    memref.store %v, %x[%zero] : memref<1xf32>
    gpu.return
  }
}
