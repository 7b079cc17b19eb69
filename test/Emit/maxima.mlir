// RUN: mpc-opt %s --mpc-decompose --cse --mpc-group --mpc-emit-kernels --canonicalize --cse | FileCheck %s
// RUN: mpc-opt %s --mpc-decompose --cse --mpc-group --mpc-emit-kernels=gpu=sm_90 --canonicalize --cse | FileCheck %s --check-prefix=GPU
// A maximum passes over NaN, which costs x86 two instructions, where a sum over
// the same elements makes all that depends on it NaN.

// GPUs have an instruction that keeps it.
// GPU-NOT: arith.cmpf ogt
// GPU: arith.maximumf
// GPU-NOT: arith.cmpf ogt

// CHECK-LABEL: func.func @softmax_0(
// CHECK-NOT: arith.maximumf
// CHECK: %[[LARGER:.*]] = arith.cmpf ogt, %[[NEW:.*]], %[[OLD:.*]] : vector<16xf32>
// CHECK: arith.select %[[LARGER]], %[[NEW]], %[[OLD]]
// CHECK-NOT: arith.maximumf
// CHECK: return
func.func @softmax(%x: tensor<8x64xbf16>) -> tensor<8x64xbf16> {
  %0 = graph.softmax %x dim = 1 : (tensor<8x64xbf16>) -> tensor<8x64xbf16>
  return %0 : tensor<8x64xbf16>
}

// CHECK-LABEL: func.func @logsumexp_0(
// CHECK-NOT: arith.maximumf
// CHECK: arith.cmpf ogt
// CHECK-NOT: arith.maximumf
// CHECK: return
func.func @logsumexp(%x: tensor<8x64xf32>) -> tensor<8x1xf32> {
  %0 = graph.logsumexp %x dims = [1] keep : (tensor<8x64xf32>) -> tensor<8x1xf32>
  return %0 : tensor<8x1xf32>
}

// The maximum itself is a result.
// CHECK-LABEL: func.func @stored_0(
// CHECK-NOT: arith.cmpf ogt
// CHECK: arith.maximumf
// CHECK: return
func.func @stored(%x: tensor<8x64xf32>) -> (tensor<8x1xf32>, tensor<8x1xf32>) {
  %m = graph.max %x dims = [1] keep : (tensor<8x64xf32>) -> tensor<8x1xf32>
  %d = graph.sub %x, %m : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x64xf32>
  %e = graph.exp %d : tensor<8x64xf32>
  %s = graph.sum %e dims = [1] keep : (tensor<8x64xf32>) -> tensor<8x1xf32>
  return %m, %s : tensor<8x1xf32>, tensor<8x1xf32>
}

// Of a row with NaN only that element would be NaN.
// CHECK-LABEL: func.func @no_sum_0(
// CHECK-NOT: arith.cmpf ogt
// CHECK: arith.maximumf
// CHECK: return
func.func @no_sum(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %m = graph.max %x dims = [1] keep : (tensor<8x64xf32>) -> tensor<8x1xf32>
  %d = graph.sub %x, %m : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x64xf32>
  %e = graph.exp %d : tensor<8x64xf32>
  return %e : tensor<8x64xf32>
}

// The sum is of other elements.
// CHECK-LABEL: func.func @other_sum_0(
// CHECK-NOT: arith.cmpf ogt
// CHECK: arith.maximumf
// CHECK: return
func.func @other_sum(%x: tensor<8x64xf32>, %y: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %m = graph.max %x dims = [1] keep : (tensor<8x64xf32>) -> tensor<8x1xf32>
  %d = graph.sub %y, %m : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x64xf32>
  %s = graph.sum %d dims = [1] keep : (tensor<8x64xf32>) -> tensor<8x1xf32>
  %q = graph.div %d, %s : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x64xf32>
  return %q : tensor<8x64xf32>
}

// What lies between takes NaN for no.
// CHECK-LABEL: func.func @selected_0(
// CHECK: arith.maximumf
// CHECK: return
func.func @selected(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %m = graph.max %x dims = [1] keep : (tensor<8x64xf32>) -> tensor<8x1xf32>
  %d = graph.sub %x, %m : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x64xf32>
  %e = graph.exp %d : tensor<8x64xf32>
  %p = graph.compare <lt> %zero, %e : (tensor<f32>, tensor<8x64xf32>) -> tensor<8x64xi1>
  %n = graph.select %p, %e, %zero : (tensor<8x64xi1>, tensor<8x64xf32>, tensor<f32>) -> tensor<8x64xf32>
  %s = graph.sum %n dims = [1] keep : (tensor<8x64xf32>) -> tensor<8x1xf32>
  %q = graph.div %n, %s : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x64xf32>
  return %q : tensor<8x64xf32>
}

// Without `keep` the sum of row i and the maximum of row j meet at i, j.
// CHECK-LABEL: func.func @across_0(
// CHECK-NOT: arith.cmpf ogt
// CHECK: arith.maximumf
func.func @across(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %m = graph.max %x dims = [1] keep : (tensor<64x64xf32>) -> tensor<64x1xf32>
  %s = graph.sum %x dims = [1] : (tensor<64x64xf32>) -> tensor<64xf32>
  %q = graph.mul %m, %s : (tensor<64x1xf32>, tensor<64xf32>) -> tensor<64x64xf32>
  return %q : tensor<64x64xf32>
}

// An integer is never NaN.
// CHECK-LABEL: func.func @whole_0(
// CHECK-NOT: arith.cmpf ogt
// CHECK: arith.maximumf
func.func @whole(%x: tensor<8x64xf32>) -> tensor<8x1xi32> {
  %m = graph.max %x dims = [1] keep : (tensor<8x64xf32>) -> tensor<8x1xf32>
  %d = graph.sub %x, %m : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x64xf32>
  %i = graph.cast %d : (tensor<8x64xf32>) -> tensor<8x64xi32>
  %s = graph.sum %i dims = [1] keep : (tensor<8x64xi32>) -> tensor<8x1xi32>
  return %s : tensor<8x1xi32>
}
