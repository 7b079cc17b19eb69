// Kernels of each kind as PTX: 16-byte accesses where rows allow them, warps
// that exchange by shuffles, 16-bit conversions in pairs, nothing in local
// memory.
// REQUIRES: cuda-toolkit
// RUN: mpc-opt %s --mpc-decompose --cse --mpc-group --mpc-emit-kernels=gpu=sm_90 -o %t.mlir
// RUN: gpu-to-ptx %t.mlir 2>/dev/null | FileCheck %s
// RUN: gpu-to-ptx %t.mlir 2>/dev/null | FileCheck %s --check-prefix=NONE
// NONE: .version
// NONE-NOT: .local
// NONE-NOT: .extern

// Elements: the row vector is read through the read-only path.
// CHECK-LABEL: .entry bias_0(
// CHECK-NEXT: .param .u64 .ptr .align 256
// CHECK: ld.global{{(.nc)?}}.v4.b32
// CHECK: ld.global.nc.v4.b32
// CHECK-NOT: cvt.rn.bf16.f32
// CHECK-COUNT-4: cvt.rn.bf16x2.f32
// CHECK: st.global.v4.b32
// CHECK: ret;
func.func @bias(%x: tensor<512x4096xbf16>, %b: tensor<4096xbf16>) -> tensor<512x4096xbf16> {
  %0 = graph.add %x, %b : (tensor<512x4096xbf16>, tensor<4096xbf16>) -> tensor<512x4096xbf16>
  %1 = graph.relu %0 : tensor<512x4096xbf16>
  return %1 : tensor<512x4096xbf16>
}

// A short row: a warp, no shared memory, no barrier; the row is read once.
// CHECK-LABEL: .entry short_0(
// CHECK-NOT: .shared
// CHECK-NOT: bar.sync
// CHECK: ld.global{{(.nc)?}}.v4.b32
// CHECK: shfl.sync.bfly.b32
// CHECK-NOT: ld.global
// CHECK: st.global.v4.b32
// CHECK: ret;
func.func @short(%x: tensor<4096x128xf32>) -> tensor<4096x128xf32> {
  %0 = graph.softmax %x dim = 1 : (tensor<4096x128xf32>) -> tensor<4096x128xf32>
  return %0 : tensor<4096x128xf32>
}

// A row per block: the warps meet in shared memory.
// CHECK-LABEL: .entry norm_0(
// CHECK: .shared
// CHECK: ld.global{{(.nc)?}}.v4.b32
// CHECK: shfl.sync
// CHECK: bar.sync
// CHECK: sqrt.rn.f32
// CHECK: cvt.rn.f16x2.f32
// CHECK: st.global.v4.b32
// CHECK: ret;
func.func @norm(%x: tensor<512x4096xf16>, %w: tensor<4096xf32>, %b: tensor<4096xf32>) -> tensor<512x4096xf16> {
  %0 = graph.cast %x : (tensor<512x4096xf16>) -> tensor<512x4096xf32>
  %1 = graph.layer_norm %0 weight %w bias %b first_dim = 1 : (tensor<512x4096xf32>, tensor<4096xf32>, tensor<4096xf32>) -> tensor<512x4096xf32>
  %2 = graph.cast %1 : (tensor<512x4096xf32>) -> tensor<512x4096xf16>
  return %2 : tensor<512x4096xf16>
}

// A vocabulary: the row is read again, in steps of 16 bytes.
// CHECK-LABEL: .entry vocabulary_0(
// CHECK: ld.global{{(.nc)?}}.v4.b32
// CHECK: shfl.sync
// CHECK: bar.sync
// CHECK: ld.global{{(.nc)?}}.v4.b32
// CHECK: st.global.v4.b32
// CHECK: ret;
func.func @vocabulary(%x: tensor<512x128000xbf16>) -> tensor<512x128000xbf16> {
  %0 = graph.softmax %x dim = 1 : (tensor<512x128000xbf16>) -> tensor<512x128000xbf16>
  return %0 : tensor<512x128000xbf16>
}
