// Functions: correctly rounded where the hardware can, else libdevice at full
// precision; no approximate division, square root, tanh or logarithm, and
// subnormals are kept. (libdevice's own steps may begin with an approximate
// reciprocal or power of two.)
// REQUIRES: cuda-toolkit
// RUN: gpu-to-ptx %s 2>/dev/null | FileCheck %s
// RUN: gpu-to-ptx %s 2>/dev/null | FileCheck %s --check-prefix=NONE
// NONE-NOT: {{div|sqrt|tanh|lg2|sin|cos|rsqrt}}.approx
// NONE-NOT: {{add|sub|mul|div|sqrt|cvt|min|max|setp.*}}.ftz
// NONE-NOT: div.full
// NONE-NOT: call{{.*}}__nv
// NONE-NOT: .extern .func
// NONE-NOT: nvvm_reflect
// NONE-NOT: .local
gpu.module @kernels {
  // CHECK-LABEL: .entry sqrt32
  // CHECK: sqrt.rn.f32
  gpu.func @sqrt32(%x: memref<1xf32>) kernel {
    %zero = arith.constant 0 : index
    %v = memref.load %x[%zero] : memref<1xf32>
    %r = math.sqrt %v : f32
    memref.store %r, %x[%zero] : memref<1xf32>
    gpu.return
  }
  // CHECK-LABEL: .entry rsqrt32
  // CHECK: sqrt.rn.f32
  // CHECK: rcp.rn.f32
  gpu.func @rsqrt32(%x: memref<1xf32>) kernel {
    %zero = arith.constant 0 : index
    %v = memref.load %x[%zero] : memref<1xf32>
    %r = math.rsqrt %v : f32
    memref.store %r, %x[%zero] : memref<1xf32>
    gpu.return
  }
  // CHECK-LABEL: .entry rsqrt64
  // CHECK: sqrt.rn.f64
  // CHECK: rcp.rn.f64
  gpu.func @rsqrt64(%x: memref<1xf64>) kernel {
    %zero = arith.constant 0 : index
    %v = memref.load %x[%zero] : memref<1xf64>
    %r = math.rsqrt %v : f64
    memref.store %r, %x[%zero] : memref<1xf64>
    gpu.return
  }
  // CHECK-LABEL: .entry divide
  // CHECK: div.rn.f32
  gpu.func @divide(%x: memref<2xf32>) kernel {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %v = memref.load %x[%zero] : memref<2xf32>
    %w = memref.load %x[%one] : memref<2xf32>
    %r = arith.divf %v, %w : f32
    memref.store %r, %x[%zero] : memref<2xf32>
    gpu.return
  }
  // A product is rounded before it is added to.
  // CHECK-LABEL: .entry separate
  // CHECK-NOT: fma
  // CHECK: mul.rn.f32
  // CHECK-NOT: fma
  // CHECK: add.rn.f32
  // CHECK: mul.rn.f64
  // CHECK-NOT: fma
  // CHECK: add.rn.f64
  gpu.func @separate(%x: memref<3xf32>, %y: memref<3xf64>) kernel {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %a = memref.load %x[%zero] : memref<3xf32>
    %b = memref.load %x[%one] : memref<3xf32>
    %c = memref.load %x[%two] : memref<3xf32>
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %p, %c : f32
    memref.store %s, %x[%zero] : memref<3xf32>
    %d = memref.load %y[%zero] : memref<3xf64>
    %e = memref.load %y[%one] : memref<3xf64>
    %f = memref.load %y[%two] : memref<3xf64>
    %q = arith.mulf %d, %e : f64
    %t = arith.addf %q, %f : f64
    memref.store %t, %y[%zero] : memref<3xf64>
    gpu.return
  }
  // The largest NaN-propagating operand, in one instruction.
  // CHECK-LABEL: .entry largest
  // CHECK: max.NaN.f32
  gpu.func @largest(%x: memref<2xf32>) kernel {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %v = memref.load %x[%zero] : memref<2xf32>
    %w = memref.load %x[%one] : memref<2xf32>
    %r = arith.maximumf %v, %w : f32
    memref.store %r, %x[%zero] : memref<2xf32>
    gpu.return
  }
  // CHECK-LABEL: .entry all32
  // CHECK: ex2.approx.ftz.f32
  gpu.func @all32(%x: memref<8xf32>) kernel {
    %thread = gpu.thread_id x
    %v = memref.load %x[%thread] : memref<8xf32>
    %1 = math.exp %v : f32
    %2 = math.log %1 : f32
    %3 = math.log1p %2 : f32
    %4 = math.tanh %3 : f32
    %5 = math.erf %4 : f32
    %6 = math.powf %5, %1 : f32
    %7 = math.expm1 %6 : f32
    memref.store %7, %x[%thread] : memref<8xf32>
    gpu.return
  }
  // CHECK-LABEL: .entry all64
  // CHECK: fma.rn.f64
  gpu.func @all64(%x: memref<8xf64>) kernel {
    %thread = gpu.thread_id x
    %v = memref.load %x[%thread] : memref<8xf64>
    %1 = math.exp %v : f64
    %2 = math.log %1 : f64
    %3 = math.log1p %2 : f64
    %4 = math.tanh %3 : f64
    %5 = math.erf %4 : f64
    %6 = math.powf %5, %1 : f64
    memref.store %6, %x[%thread] : memref<8xf64>
    gpu.return
  }
}
