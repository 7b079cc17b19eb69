// Conversions of f8: one instruction per pair, element 0 in the low byte.
// REQUIRES: cuda-toolkit
// RUN: gpu-to-ptx %s --arch=sm_89,sm_90,sm_100,sm_120 2>/dev/null | FileCheck %s
// RUN: not gpu-to-ptx %s --arch=sm_80 2>&1 | FileCheck %s --check-prefix=OLD
// OLD: {{.*}}f8.mlir:[[#@LINE+10]]:{{.*}}error: expected an architecture with instructions between 'f32' and 'f8E4M3FN', which sm_89 is the oldest of, but got sm_80
gpu.module @kernels {
  // CHECK-LABEL: .entry narrow
  // CHECK: ld.global.v4.b32 {[[X0:%r[0-9]+]], [[X1:%r[0-9]+]], [[X2:%r[0-9]+]], [[X3:%r[0-9]+]]}
  // CHECK-DAG: cvt.rn.satfinite.e4m3x2.f32 [[LOW:%rs[0-9]+]], [[X1]], [[X0]];
  // CHECK-DAG: cvt.rn.satfinite.e4m3x2.f32 [[HIGH:%rs[0-9]+]], [[X3]], [[X2]];
  // CHECK: st.global.v2.b16 {{.*}}, {[[LOW]], [[HIGH]]};
  gpu.func @narrow(%x: memref<4xf32>, %y: memref<4xf8E4M3FN>) kernel {
    %zero = arith.constant 0 : index
    %v = vector.load %x[%zero] {alignment = 16 : i64} : memref<4xf32>, vector<4xf32>
    %n = arith.truncf %v : vector<4xf32> to vector<4xf8E4M3FN>
    vector.store %n, %y[%zero] {alignment = 4 : i64} : memref<4xf8E4M3FN>, vector<4xf8E4M3FN>
    gpu.return
  }
  // CHECK-LABEL: .entry widen
  // CHECK: ld.global.v2.b16
  // CHECK-COUNT-2: cvt.rn.f16x2.e5m2x2
  // CHECK: st.global.v4.b32
  gpu.func @widen(%x: memref<4xf8E5M2>, %y: memref<4xf32>) kernel {
    %zero = arith.constant 0 : index
    %v = vector.load %x[%zero] {alignment = 4 : i64} : memref<4xf8E5M2>, vector<4xf8E5M2>
    %w = arith.extf %v : vector<4xf8E5M2> to vector<4xf32>
    vector.store %w, %y[%zero] {alignment = 16 : i64} : memref<4xf32>, vector<4xf32>
    gpu.return
  }
  // From and to 16 bits, sixteen at a time.
  // CHECK-LABEL: .entry sixteen
  // CHECK-COUNT-2: ld.global.v4.b32
  // CHECK-COUNT-8: cvt.rn.satfinite.e4m3x2.f32
  // CHECK: st.global.v4.b32
  gpu.func @sixteen(%x: memref<16xbf16>, %y: memref<16xf8E4M3FN>) kernel {
    %zero = arith.constant 0 : index
    %v = vector.load %x[%zero] {alignment = 16 : i64} : memref<16xbf16>, vector<16xbf16>
    %n = arith.truncf %v : vector<16xbf16> to vector<16xf8E4M3FN>
    vector.store %n, %y[%zero] {alignment = 16 : i64} : memref<16xf8E4M3FN>, vector<16xf8E4M3FN>
    gpu.return
  }
  // Scalars, and a count that is odd.
  // CHECK-LABEL: .entry single
  // CHECK: cvt.rn.satfinite.e5m2x2.f32
  // CHECK: st.global.b8
  // CHECK: cvt.rn.f16x2.e4m3x2
  // CHECK: cvt.rn.bf16{{.*}}.f32
  gpu.func @single(%x: memref<3xf16>, %y: memref<3xf8E5M2>, %z: memref<3xf8E4M3FN>, %w: memref<3xbf16>) kernel {
    %zero = arith.constant 0 : index
    %v = memref.load %x[%zero] : memref<3xf16>
    %n = arith.truncf %v : f16 to f8E5M2
    memref.store %n, %y[%zero] : memref<3xf8E5M2>
    %t = vector.load %z[%zero] : memref<3xf8E4M3FN>, vector<3xf8E4M3FN>
    %e = arith.extf %t : vector<3xf8E4M3FN> to vector<3xbf16>
    vector.store %e, %w[%zero] : memref<3xbf16>, vector<3xbf16>
    gpu.return
  }
}
