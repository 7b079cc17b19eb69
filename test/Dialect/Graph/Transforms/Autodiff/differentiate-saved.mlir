// What the backward keeps, as remarks at the values: relu asks for its result,
// not for its operand, and the matmul asks for the input and the weight, which
// are there anyway.
// RUN: mpc-opt %s --mpc-differentiate=print-saved=true --verify-diagnostics
// RUN: mpc-opt %s --mpc-differentiate -o /dev/null --remarks-filter-analyse="mpc-differentiate" --remark-format=emitRemark 2>&1 | FileCheck %s
// CHECK: kept {{.*}}graph.relu{{.*}}128

// expected-remark @below {{kept for the backward: 1 values, 128 bytes}}
func.func @model(%x: tensor<4x8xf32> {graph.input = "x"}, %w: tensor<8x8xf32> {graph.parameter = "w"})
    -> (tensor<f32> {graph.loss}) {
  %0 = graph.matmul %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  // expected-remark @below {{kept for the backward: 'tensor<4x8xf32>' of graph.relu, 128 bytes}}
  %1 = graph.relu %0 : tensor<4x8xf32>
  %2 = graph.sum %1 dims = [0, 1] : (tensor<4x8xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}
