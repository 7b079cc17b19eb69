// RUN: mpc-opt %s --mpc-group | FileCheck %s
// Ops whose dims only partly meet in values: what is grouped must be one space.

// The two sums meet in %s alone, whose rows they fold; their columns, which
// constants give them, are laid over each other.
// CHECK-LABEL: func.func @columns_of_constants
// CHECK: graph.group <column> {{.*}} : (tensor<32x1xf32>) -> (tensor<256xf32>, tensor<256xf32>)
// CHECK-NOT: graph.group
func.func @columns_of_constants(%x: tensor<32x1xf32>) -> (tensor<256xf32>, tensor<256xf32>, tensor<32x1xf32>) {
  %c = graph.constant dense<0.5> : tensor<32x256xf32>
  %s = graph.exp %x : tensor<32x1xf32>
  %0 = graph.mul %s, %c : (tensor<32x1xf32>, tensor<32x256xf32>) -> tensor<32x256xf32>
  %1 = graph.sum %0 dims = [0] : (tensor<32x256xf32>) -> tensor<256xf32>
  %2 = graph.div %c, %s : (tensor<32x256xf32>, tensor<32x1xf32>) -> tensor<32x256xf32>
  %3 = graph.sum %2 dims = [0] : (tensor<32x256xf32>) -> tensor<256xf32>
  return %1, %3, %s : tensor<256xf32>, tensor<256xf32>, tensor<32x1xf32>
}

// The same number along rows and along columns: two values to a kernel.
// CHECK-LABEL: func.func @number_along_rows_and_columns
// CHECK: graph.group <row>
// CHECK: graph.broadcast
// CHECK: graph.broadcast
// CHECK-NOT: graph.group
func.func @number_along_rows_and_columns(%x: tensor<f32>) -> tensor<4x4xf32> {
  %0 = graph.broadcast %x : (tensor<f32>) -> tensor<4xf32>
  %1 = graph.reshape %0 : (tensor<4xf32>) -> tensor<4x1xf32>
  %2 = graph.add %1, %0 : (tensor<4x1xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}
