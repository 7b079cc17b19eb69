// Transposed operands, broadcast batch dims, one row or column.
// RUN: %compare
// RUN: %compare --error-rule --steps=1 -- --precision=fp16 --loss-scale=none
// RUN: %compare --error-rule --steps=1 -- --precision=bf16 --rounding=strict --loss-scale=none
func.func @matmuls(
    %x: tensor<2x3x4x6xf32> {graph.input = "x"},
    %a: tensor<3x6x5xf32> {graph.parameter = "a", graph.init = #graph.normal<0.0, 0.3>},
    %b: tensor<2x1x7x5xf32> {graph.parameter = "b", graph.init = #graph.normal<0.0, 0.3>},
    %c: tensor<4x1xf32> {graph.parameter = "c", graph.init = #graph.normal<0.0, 0.3>},
    %d: tensor<1x7xf32> {graph.parameter = "d", graph.init = #graph.normal<0.0, 0.3>})
    -> (tensor<f32> {graph.loss}, tensor<2x3x4x7xf32> {graph.output = "y"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} {
  %0 = graph.matmul %x, %a : (tensor<2x3x4x6xf32>, tensor<3x6x5xf32>) -> tensor<2x3x4x5xf32>
  %1 = graph.matmul %0, %b transpose_rhs : (tensor<2x3x4x5xf32>, tensor<2x1x7x5xf32>) -> tensor<2x3x4x7xf32>
  %2 = graph.matmul %1, %c transpose_lhs : (tensor<2x3x4x7xf32>, tensor<4x1xf32>) -> tensor<2x3x7x1xf32>
  %3 = graph.matmul %2, %d transpose_lhs transpose_rhs : (tensor<2x3x7x1xf32>, tensor<1x7xf32>) -> tensor<2x3x1x1xf32>
  %4 = graph.tanh %3 : tensor<2x3x1x1xf32>
  %5 = graph.mul %1, %4 : (tensor<2x3x4x7xf32>, tensor<2x3x1x1xf32>) -> tensor<2x3x4x7xf32>
  %6 = graph.mul %5, %5 : (tensor<2x3x4x7xf32>, tensor<2x3x4x7xf32>) -> tensor<2x3x4x7xf32>
  %loss = graph.mean %6 dims = [0, 1, 2, 3] : (tensor<2x3x4x7xf32>) -> tensor<f32>
  return %loss, %1 : tensor<f32>, tensor<2x3x4x7xf32>
}
