// Vector arithmetic in forms that take few instructions.
// REQUIRES: cuda-toolkit
// RUN: gpu-to-ptx %s 2>/dev/null | FileCheck %s
gpu.module @kernels {
  // Two bf16 of a word are widened by a shift and a mask.
  // CHECK-LABEL: .entry widen
  // CHECK: ld{{.*}}.v4.b32
  // CHECK-NOT: cvt
  // CHECK-COUNT-4: shl.b32 %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, 16
  // CHECK-NOT: cvt
  // CHECK-COUNT-4: and.b32 %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, -65536
  // CHECK-NOT: cvt
  // CHECK: ret
  gpu.func @widen(%x: memref<8xbf16>, %y: memref<8xf32>) kernel {
    %zero = arith.constant 0 : index
    %v = vector.load %x[%zero] {alignment = 16 : i64} : memref<8xbf16>, vector<8xbf16>
    %w = arith.extf %v : vector<8xbf16> to vector<8xf32>
    vector.store %w, %y[%zero] {alignment = 16 : i64} : memref<8xf32>, vector<8xf32>
    gpu.return
  }
  // Where a label lies among neighbouring classes: one subtraction, and
  // comparisons with numbers.
  // CHECK-LABEL: .entry compare
  // CHECK: sub.s32 %[[DISTANCE:r[0-9]+]]
  // CHECK-NOT: add.s32
  // CHECK-DAG: setp.eq.b32 %{{p[0-9]+}}, %[[DISTANCE]], 1
  // CHECK-DAG: setp.eq.b32 %{{p[0-9]+}}, %[[DISTANCE]], 2
  // CHECK-DAG: setp.eq.b32 %{{p[0-9]+}}, %[[DISTANCE]], 3
  // CHECK: ret
  gpu.func @compare(%x: memref<2xi32>, %y: memref<4xf32>) kernel {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %first = memref.load %x[%zero] : memref<2xi32>
    %label = memref.load %x[%one] : memref<2xi32>
    %lanes = arith.constant dense<[0, 1, 2, 3]> : vector<4xi32>
    %firsts = vector.broadcast %first : i32 to vector<4xi32>
    %classes = arith.addi %firsts, %lanes : vector<4xi32>
    %labels = vector.broadcast %label : i32 to vector<4xi32>
    %same = arith.cmpi eq, %classes, %labels : vector<4xi32>
    %number = arith.uitofp %same : vector<4xi1> to vector<4xf32>
    vector.store %number, %y[%zero] {alignment = 16 : i64} : memref<4xf32>, vector<4xf32>
    gpu.return
  }
  // An exponential that may be approximated is a product and a power of two.
  // CHECK-LABEL: .entry power
  // CHECK: mul.rn.f32 %{{r[0-9]+}}, %{{r[0-9]+}}, 0f3FB8AA3B
  // CHECK-NEXT: ex2.approx.ftz.f32
  // CHECK-NOT: setp
  // CHECK: mul.rn.f32 %{{r[0-9]+}}, %{{r[0-9]+}}, 0f3FB8AA3B
  // CHECK: ex2.approx.ftz.f32
  // CHECK: ex2.approx.ftz.f32
  // CHECK-NOT: setp
  // CHECK: ret
  gpu.func @power(%x: memref<3xf32>) kernel {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %v = memref.load %x[%zero] : memref<3xf32>
    %p = math.exp %v fastmath<afn> : f32
    memref.store %p, %x[%zero] : memref<3xf32>
    %w = vector.load %x[%one] : memref<3xf32>, vector<2xf32>
    %q = math.exp %w fastmath<afn> : vector<2xf32>
    vector.store %q, %x[%one] : memref<3xf32>, vector<2xf32>
    gpu.return
  }
}
