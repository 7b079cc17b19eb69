// RUN: mpc-opt %s --mpc-decompose --cse --mpc-group --mpc-emit-kernels --canonicalize --cse | FileCheck %s
// Sums over rows, and kernels that only move.

// An item holds 64 columns in four accumulators while all rows go by in order.
// CHECK-LABEL: func.func @bias_gradient_0(
// CHECK: scf.for
// CHECK: scf.for {{.*}} iter_args({{.*}}, {{.*}}, {{.*}}, {{.*}}) -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-COUNT-4: arith.addf
// CHECK: scf.yield
// CHECK-COUNT-4: vector.store
// CHECK-NOT: vector.shuffle
func.func @bias_gradient(%g: tensor<50x128xf32>) -> tensor<128xf32> {
  %0 = graph.sum %g dims = [0] : (tensor<50x128xf32>) -> tensor<128xf32>
  return %0 : tensor<128xf32>
}

// Long columns are summed in blocks of 64 rows.
// CHECK-LABEL: func.func @long_column_0(
// CHECK: scf.for
// CHECK: scf.for {{.*}} to %c1000 step %c64 iter_args
// CHECK: arith.minui
// CHECK: scf.for {{.*}} step %c1 iter_args
// CHECK: arith.addf
// CHECK: scf.yield
// CHECK: arith.addf
// CHECK: scf.yield
func.func @long_column(%g: tensor<1000x16xf32>) -> tensor<16xf32> {
  %0 = graph.sum %g dims = [0] : (tensor<1000x16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// Rows of a transposed tensor lie apart: they are gathered.
// CHECK-LABEL: func.func @transpose_0(
// CHECK: vector.gather
// CHECK: vector.store
func.func @transpose(%x: tensor<16x32xf32>) -> tensor<32x16xf32> {
  %0 = graph.transpose %x permutation = [1, 0] : (tensor<16x32xf32>) -> tensor<32x16xf32>
  return %0 : tensor<32x16xf32>
}

// Up to four of them are read one by one, as the colours of an image.
// CHECK-LABEL: func.func @transpose_few_0(
// CHECK-NOT: vector.gather
// CHECK-COUNT-3: memref.load
// CHECK-NOT: memref.load
// CHECK: vector.maskedstore
func.func @transpose_few(%x: tensor<3x32xf32>) -> tensor<32x3xf32> {
  %0 = graph.transpose %x permutation = [1, 0] : (tensor<3x32xf32>) -> tensor<32x3xf32>
  return %0 : tensor<32x3xf32>
}

// A slice is an address.
// CHECK-LABEL: func.func @slice_0(
// CHECK-DAG: %[[OFFSET:.*]] = arith.constant 70 : index
// CHECK: arith.addi %{{.*}}, %[[OFFSET]]
// CHECK-NOT: func.func
// CHECK-LABEL: func.func @pad_0(
func.func @slice(%x: tensor<8x64xf32>) -> tensor<4x32xf32> {
  %0 = graph.slice %x offsets = [1, 6] sizes = [4, 32] : (tensor<8x64xf32>) -> tensor<4x32xf32>
  %1 = graph.neg %0 : tensor<4x32xf32>
  return %1 : tensor<4x32xf32>
}

// Zeros first, then what the operand reaches; elements keep their format.
// CHECK: vector.store %{{.*}}, %{{.*}} : memref<{{.*}}xf16>, vector<32xf16>
// CHECK: scf.if
// CHECK: vector.load {{.*}} vector<32xf16>
func.func @pad(%x: tensor<4x32xf16>) -> tensor<6x64xf16> {
  %0 = graph.pad %x low = [1, 16] high = [1, 16] : (tensor<4x32xf16>) -> tensor<6x64xf16>
  return %0 : tensor<6x64xf16>
}
