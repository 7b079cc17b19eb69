// Columns and movements as PTX, and as ptxas sees them: 16-byte accesses,
// shared memory and barriers, nothing in local memory, no spills.
// REQUIRES: cuda-toolkit
// RUN: rm -rf %t && mkdir %t
// RUN: mpc-opt %s --mpc-decompose --cse --mpc-group --mpc-emit-kernels=gpu=sm_80 -o %t/80.mlir
// RUN: mpc-opt %s --mpc-decompose --cse --mpc-group --mpc-emit-kernels=gpu=sm_90 -o %t/90.mlir
// RUN: mpc-opt %s --mpc-decompose --cse --mpc-group --mpc-emit-kernels=gpu=sm_100 -o %t/100.mlir
// RUN: mpc-opt %s --mpc-decompose --cse --mpc-group --mpc-emit-kernels=gpu=sm_120 -o %t/120.mlir
// RUN: gpu-to-ptx %t/80.mlir --arch=sm_80 > %t/80.ptx
// RUN: gpu-to-ptx %t/90.mlir --arch=sm_90 > %t/90.ptx
// RUN: gpu-to-ptx %t/100.mlir --arch=sm_100 > %t/100.ptx
// RUN: gpu-to-ptx %t/120.mlir --arch=sm_120 > %t/120.ptx
// RUN: FileCheck %s < %t/90.ptx
// RUN: %python %S/Inputs/check_ptx.py %cuda/bin/ptxas %t | FileCheck %s --check-prefix=PTXAS
// PTXAS-COUNT-32: registers 0 spilled 0 stack

// The gradients of weight and bias of a layer_norm: eight loads of x and of its
// gradient are under way at once.
// CHECK-LABEL: .entry norm_0(
// CHECK-COUNT-8: ld.global.nc.v4.b32
// CHECK: st.shared.v4
// CHECK: bar.sync
// CHECK: st.global.v4
// CHECK: ret;
// CHECK-LABEL: .entry norm_0_1(
// CHECK: ld.global{{.*}}.v4
// CHECK: bar.sync
// CHECK: st.global.v4
// CHECK: ret;
func.func @norm(%x: tensor<65536x1600xf16>, %g: tensor<65536x1600xf16>, %m: tensor<65536x1xf32>, %r: tensor<65536x1xf32>) -> (tensor<1600xf32>, tensor<1600xf32>) {
  %0 = graph.cast %x : (tensor<65536x1600xf16>) -> tensor<65536x1600xf32>
  %1 = graph.cast %g : (tensor<65536x1600xf16>) -> tensor<65536x1600xf32>
  %2 = graph.sub %0, %m : (tensor<65536x1600xf32>, tensor<65536x1xf32>) -> tensor<65536x1600xf32>
  %3 = graph.mul %2, %r : (tensor<65536x1600xf32>, tensor<65536x1xf32>) -> tensor<65536x1600xf32>
  %4 = graph.mul %3, %1 : (tensor<65536x1600xf32>, tensor<65536x1600xf32>) -> tensor<65536x1600xf32>
  %5 = graph.sum %4 dims = [0] : (tensor<65536x1600xf32>) -> tensor<1600xf32>
  %6 = graph.sum %1 dims = [0] : (tensor<65536x1600xf32>) -> tensor<1600xf32>
  return %5, %6 : tensor<1600xf32>, tensor<1600xf32>
}

// CHECK-LABEL: .entry ten_0(
// CHECK: ld.global.nc.v2
// Of 51 threads of a column four fold what the others have, two a round, in a
// loop that ptxas must not write out.
// CHECK-LABEL: .entry ten_0_1(
// CHECK: bar.sync
// CHECK-NOT: ld.shared
// CHECK: .pragma "nounroll"
// CHECK-COUNT-2: ld.shared.v2.b32
// CHECK-NOT: ld.shared
// CHECK: bra
func.func @ten(%x: tensor<60000x10xf32>) -> tensor<10xf32> {
  %0 = graph.sum %x dims = [0] : (tensor<60000x10xf32>) -> tensor<10xf32>
  return %0 : tensor<10xf32>
}

// CHECK-LABEL: .entry softmax_0(
// CHECK: ret;
func.func @softmax(%x: tensor<128x512xbf16>) -> tensor<128x512xbf16> {
  %0 = graph.softmax %x dim = 0 : (tensor<128x512xbf16>) -> tensor<128x512xbf16>
  return %0 : tensor<128x512xbf16>
}

// CHECK-LABEL: .entry even_0(
// CHECK-COUNT-2: ld.global{{.*}}.v4.b32
// CHECK: st.shared.b{{16|32}}
// CHECK: bar.sync
// CHECK: ld.shared.b{{16|32}}
// CHECK: st.global.v4.b32
func.func @even(%x: tensor<2048x1024xf16>) -> tensor<1024x2048xf16> {
  %0 = graph.transpose %x permutation = [1, 0] : (tensor<2048x1024xf16>) -> tensor<1024x2048xf16>
  return %0 : tensor<1024x2048xf16>
}

// CHECK-LABEL: .entry odd_0(
// CHECK: ret;
func.func @odd(%x: tensor<2049x1027xf16>) -> tensor<1027x2049xf16> {
  %0 = graph.transpose %x permutation = [1, 0] : (tensor<2049x1027xf16>) -> tensor<1027x2049xf16>
  return %0 : tensor<1027x2049xf16>
}

// CHECK-LABEL: .entry concat_0(
// CHECK: ld.global{{.*}}.v4.b32
// CHECK: ld.global{{.*}}.v4.b32
// CHECK: st.global.v4.b32
func.func @concat(%x: tensor<64x2x64xf16>, %y: tensor<64x4x64xf16>) -> tensor<64x6x64xf16> {
  %0 = graph.concat %x, %y dim = 1 : (tensor<64x2x64xf16>, tensor<64x4x64xf16>) -> tensor<64x6x64xf16>
  return %0 : tensor<64x6x64xf16>
}
