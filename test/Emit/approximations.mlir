// RUN: mpc-opt %s --mpc-decompose --cse --mpc-group --mpc-emit-kernels --canonicalize --cse | FileCheck %s
// RUN: mpc-opt %s --mpc-decompose --cse --mpc-group --mpc-emit-kernels=strict --canonicalize --cse | FileCheck %s --check-prefix=STRICT
// Where the largest tensors have 16 bits a few digits of exponentials and of
// GELU's error functions will do. What this makes of PTX is in
// Target/Cuda/functions.mlir, and of numbers in MathTest.cpp.

// STRICT-NOT: fastmath<afn>
// STRICT: math.exp
// STRICT-NOT: fastmath<afn>

// CHECK-LABEL: func.func @narrow_0(
// CHECK: math.exp {{.*}} fastmath<afn> {mpc.never_positive} : vector<16xf32>
// CHECK: return
func.func @narrow(%x: tensor<8x64xbf16>) -> tensor<8x64xbf16> {
  %0 = graph.softmax %x dim = 1 : (tensor<8x64xbf16>) -> tensor<8x64xbf16>
  return %0 : tensor<8x64xbf16>
}

// One of f32 is as large.
// CHECK-LABEL: func.func @wide_0(
// CHECK-NOT: fastmath<afn>
// CHECK: return
func.func @wide(%x: tensor<8x64xbf16>) -> tensor<8x64xf32> {
  %w = graph.cast %x : (tensor<8x64xbf16>) -> tensor<8x64xf32>
  %0 = graph.softmax %w dim = 1 : (tensor<8x64xf32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}

// CHECK-LABEL: func.func @gelu_0(
// CHECK: math.erf {{.*}} fastmath<afn> : vector<16xf32>
// CHECK: return
func.func @gelu(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
  %0 = graph.gelu %x : tensor<8x64xf16>
  return %0 : tensor<8x64xf16>
}

// Near 0 all of its digits matter.
// CHECK-LABEL: func.func @erf_0(
// CHECK: math.erf
// CHECK-NOT: fastmath<afn>
// CHECK: return
func.func @erf(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
  %0 = graph.erf %x : tensor<8x64xf16>
  return %0 : tensor<8x64xf16>
}
