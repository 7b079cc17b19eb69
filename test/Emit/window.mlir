// RUN: mpc-opt %s --mpc-decompose --cse --mpc-group --mpc-emit-kernels --canonicalize --cse | FileCheck %s
// Windows along the lanes of vectors: neighbours are read under a mask, and no
// element by itself.

// CHECK-LABEL: func.func @over_the_ends_0(
// CHECK-NOT: vector.gather
// CHECK: %[[IS_THERE:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : vector<16xi32>
// CHECK: vector.maskedload %{{.*}}[%{{.*}}], %[[IS_THERE]],
// CHECK-NOT: vector.gather
func.func @over_the_ends(%x: tensor<40x160xf32>) -> tensor<40x160xf32> {
  %0 = graph.window %x offsets = [0, -1] sizes = [40, 160] : (tensor<40x160xf32>) -> tensor<40x160xf32>
  return %0 : tensor<40x160xf32>
}

// Every other one of two vectors.
// CHECK-LABEL: func.func @steps_0(
// CHECK-NOT: vector.gather
// CHECK: %[[FIRST:.*]] = vector.maskedload
// CHECK: %[[SECOND:.*]] = vector.maskedload
// CHECK: vector.shuffle
// CHECK: vector.shuffle %{{.*}}, %[[SECOND]] [0, 1, 2, 3, 4, 5, 6, 7, 16, 18, 20, 22, 24, 26, 28, 30]
// CHECK-NOT: vector.gather
func.func @steps(%x: tensor<40x320xf32>) -> tensor<40x160xf32> {
  %0 = graph.window %x offsets = [0, -1] sizes = [40, 160] steps = [1, 2] : (tensor<40x320xf32>) -> tensor<40x160xf32>
  return %0 : tensor<40x160xf32>
}

// Twice each, by where the first lane is.
// CHECK-LABEL: func.func @copies_0(
// CHECK-NOT: vector.gather
// CHECK: %[[ROW:.*]] = vector.maskedload
// CHECK-DAG: vector.shuffle %[[ROW]], %{{.*}} [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7]
// CHECK-DAG: vector.shuffle %[[ROW]], %{{.*}} [0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8]
// CHECK: arith.select
// CHECK-NOT: vector.gather
func.func @copies(%x: tensor<40x80xf32>) -> tensor<40x160xf32> {
  %0 = graph.window %x offsets = [0, -1] sizes = [40, 160] spread = [1, 2] repeat : (tensor<40x80xf32>) -> tensor<40x160xf32>
  return %0 : tensor<40x160xf32>
}

// A slice reads no further than its last element: the second vector ends there.
// CHECK-LABEL: func.func @slice_0(
// CHECK-NOT: vector.gather
// CHECK: %[[FIRST:.*]] = vector.load
// CHECK: %[[SECOND:.*]] = vector.load
// CHECK: vector.shuffle
// CHECK: vector.shuffle %{{.*}}, %[[SECOND]] [0, 1, 2, 3, 4, 5, 6, 7, 17, 19, 21, 23, 25, 27, 29, 31]
// CHECK-NOT: vector.gather
func.func @slice(%x: tensor<40x63xf32>) -> tensor<40x32xf32> {
  %0 = graph.slice %x offsets = [0, 0] sizes = [40, 32] steps = [1, 2] : (tensor<40x63xf32>) -> tensor<40x32xf32>
  return %0 : tensor<40x32xf32>
}

// More than four apart.
// CHECK-LABEL: func.func @far_apart_0(
// CHECK: vector.gather
func.func @far_apart(%x: tensor<40x160xf32>) -> tensor<40x32xf32> {
  %0 = graph.slice %x offsets = [0, 0] sizes = [40, 32] steps = [1, 5] : (tensor<40x160xf32>) -> tensor<40x32xf32>
  return %0 : tensor<40x32xf32>
}
