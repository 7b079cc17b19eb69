// Values of which no input decides the size, with several readers; and sizes
// that are the batch's by chance, which the remarks tell.
// RUN: mpc-opt %s --mpc-set-batch="batch=7" --split-input-file | FileCheck %s
// RUN: mpc-opt %s --mpc-set-batch="batch=7" --split-input-file --remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// Of one sample, every dim of 1 would be told.
// RUN: sed -e 's/tensor<4x/tensor<1x/g' %s | mpc-opt --mpc-set-batch="batch=7" --split-input-file --remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=SILENT --allow-empty
// SILENT-NOT: remark

// All readers take it for samples: one by itself, one through another value
// that goes nowhere else, one through a custom op. To be returned is no role.
// CHECK-LABEL: func.func @samples(
// CHECK: graph.constant dense<2.000000e+00> : tensor<7x3xf32>
// CHECK: graph.exp {{.*}} : tensor<7x3xf32>
// REMARK-NOT: remark
func.func @samples(%x: tensor<4x3xf32> {graph.input = "x"})
    -> (tensor<4x3xf32> {graph.output = "y"}, tensor<4x3xf32> {graph.output = "c"}) {
  %c = graph.constant dense<2.0> : tensor<4x3xf32>
  %e = graph.exp %c : tensor<4x3xf32>
  %0 = graph.add %x, %e : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %1 = graph.mul %0, %c : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %2 = graph.custom @plus(%1, %c) policy = "Deny" : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %2, %c : tensor<4x3xf32>, tensor<4x3xf32>
}
func.func private @plus(%x: tensor<4x3xf32>, %y: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %0 = graph.add %x, %y : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----
// 4 rows that are no samples.
// CHECK-LABEL: func.func @kept(
// CHECK: graph.broadcast {{.*}} : (tensor<3xf32>) -> tensor<4x3xf32>
// REMARK: set-batch-roles.mlir:[[#@LINE+4]]:8: remark: [Missed] kept | Category:mpc-set-batch | Function=kept | Remark="keeps the size 4, which the batch had, along dim 0: no reader needs it to follow"
// REMARK-NOT: remark
func.func @kept(%x: tensor<4x3xf32> {graph.input = "x"},
                %w: tensor<3xf32> {graph.parameter = "w", graph.init = #graph.zeros}) -> (tensor<4x3xf32> {graph.output = "y"}) {
  %b = graph.broadcast %w : (tensor<3xf32>) -> tensor<4x3xf32>
  %s = graph.sum %b dims = [0] : (tensor<4x3xf32>) -> tensor<3xf32>
  %0 = graph.add %x, %s : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
