// The smallest model that trains: t = w x + b, fitted to 32 points.
//
//   mpc-compile examples/embed/line.mlir -o line.mpcx --target=cpu
func.func @line(
    %x: tensor<32x1xf32>      {graph.input = "x"},
    %target: tensor<32x1xf32> {graph.input = "target"},
    %w: tensor<1x1xf32>       {graph.parameter = "w", graph.init = #graph.normal<0.0, 0.1>},
    %b: tensor<1xf32>         {graph.parameter = "b", graph.init = #graph.zeros})
    -> (tensor<f32> {graph.loss}, tensor<32x1xf32> {graph.output = "line"})
    attributes {graph.training = #graph.training<
      precision = "fp32",
      optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} {
  %0 = graph.matmul %x, %w : (tensor<32x1xf32>, tensor<1x1xf32>) -> tensor<32x1xf32>
  %1 = graph.add %0, %b : (tensor<32x1xf32>, tensor<1xf32>) -> tensor<32x1xf32>
  %loss = graph.mse %1, %target : (tensor<32x1xf32>, tensor<32x1xf32>) -> tensor<f32>
  return %loss, %1 : tensor<f32>, tensor<32x1xf32>
}
