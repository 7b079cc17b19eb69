// RUN: mpc-opt %s --mpc-decompose --cse --mpc-group --mpc-emit-kernels --canonicalize --cse | FileCheck %s
// RUN: mpc-opt %s --mpc-decompose --cse --mpc-group --mpc-emit-kernels=strict --canonicalize --cse | FileCheck %s --check-prefix=STRICT
// Where all that it reaches is rounded to 16 bits a few digits of an exponential
// will do, and of GELU's error functions. What this makes of PTX is in
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

// It is a result in f32.
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

// As large as its result are tensors of 16 bits, but it reaches that unrounded.
// CHECK-LABEL: func.func @row_0(
// CHECK-NOT: fastmath<afn>
// CHECK: return
func.func @row(%x: tensor<8x64xbf16>) -> tensor<8xf32> {
  %w = graph.cast %x : (tensor<8x64xbf16>) -> tensor<8x64xf32>
  %0 = graph.exp %w : tensor<8x64xf32>
  %1 = graph.sum %0 dims = [1] : (tensor<8x64xf32>) -> tensor<8xf32>
  %2 = graph.log %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// The one that is stored in 16 bits also reaches the sum.
// CHECK-LABEL: func.func @both_0(
// CHECK-NOT: fastmath<afn>
// CHECK: return
func.func @both(%x: tensor<8x64xbf16>) -> (tensor<8x64xbf16>, tensor<8xf32>) {
  %w = graph.cast %x : (tensor<8x64xbf16>) -> tensor<8x64xf32>
  %0 = graph.exp %w : tensor<8x64xf32>
  %1 = graph.sum %0 dims = [1] : (tensor<8x64xf32>) -> tensor<8xf32>
  %2 = graph.cast %0 : (tensor<8x64xf32>) -> tensor<8x64xbf16>
  return %2, %1 : tensor<8x64xbf16>, tensor<8xf32>
}

// What is chosen by comparing it is not rounded either.
// CHECK-LABEL: func.func @compared_0(
// CHECK-NOT: fastmath<afn>
// CHECK: return
func.func @compared(%x: tensor<64xbf16>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %w = graph.cast %x : (tensor<64xbf16>) -> tensor<64xf32>
  %0 = graph.exp %w : tensor<64xf32>
  %1 = graph.compare <lt> %0, %y : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xi1>
  %2 = graph.select %1, %w, %y : (tensor<64xi1>, tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %2 : tensor<64xf32>
}

// Results in f32, as large as those of 16 bits, that it does not reach, and one
// that reads it rounded.
// CHECK-LABEL: func.func @beside_0(
// CHECK: math.exp {{.*}} fastmath<afn> : vector<16xf32>
// CHECK: return
func.func @beside(%x: tensor<8x64xbf16>, %y: tensor<8x64xf32>) -> (tensor<8x64xbf16>, tensor<8x64xf32>, tensor<8xf32>) {
  %w = graph.cast %x : (tensor<8x64xbf16>) -> tensor<8x64xf32>
  %0 = graph.exp %w : tensor<8x64xf32>
  %1 = graph.cast %0 : (tensor<8x64xf32>) -> tensor<8x64xbf16>
  %2 = graph.mul %w, %y : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x64xf32>
  %3 = graph.sum %1 dims = [1] dtype = f32 : (tensor<8x64xbf16>) -> tensor<8xf32>
  return %1, %2, %3 : tensor<8x64xbf16>, tensor<8x64xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @wide_gelu_0(
// CHECK: math.erf
// CHECK-NOT: fastmath<afn>
// CHECK: return
func.func @wide_gelu(%x: tensor<8x64xf16>) -> tensor<8x1xf32> {
  %0 = graph.mean %x dims = [1] keep dtype = f32 : (tensor<8x64xf16>) -> tensor<8x1xf32>
  %1 = graph.gelu %0 : tensor<8x1xf32>
  return %1 : tensor<8x1xf32>
}
