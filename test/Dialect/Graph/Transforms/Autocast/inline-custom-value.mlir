// What is put in place computes what the function computes, and its gradient.
// RUN: mpc-opt %s --mpc-inline-regions --mpc-autocast=precision=bf16 --mpc-inline-custom --mpc-differentiate -o %t.auto.mlir
// RUN: mpc-opt %s --mpc-inline-regions --mpc-inline-custom --mpc-differentiate -o %t.plain.mlir
// RUN: graph-eval %t.auto.mlir --function=model_step --rounded --compare=%t.plain.mlir --low=-1 --high=1 --rtol=2e-2 --atol=2e-2
// RUN: mpc-opt %s --mpc-inline-regions --mpc-inline-custom | FileCheck %s
// CHECK-NOT: graph.custom
// CHECK-NOT: graph.cast
func.func private @swish(%x: tensor<4x8xf32>, %beta: tensor<f32>) -> tensor<4x8xf32> {
  %0 = graph.mul %x, %beta : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %1 = graph.sigmoid %0 : tensor<4x8xf32>
  %2 = graph.mul %x, %1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}
func.func @model(%x: tensor<4x8xf32> {graph.input = "x"}, %w: tensor<8x8xf32> {graph.parameter = "w"},
    %beta: tensor<f32> {graph.parameter = "beta"}) -> (tensor<f32> {graph.loss}) {
  %0 = graph.matmul %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = graph.custom @swish(%0, %beta) policy = "DenyIO" : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %2 = graph.matmul %1, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %3 = graph.mse %2, %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<f32>
  return %3 : tensor<f32>
}
