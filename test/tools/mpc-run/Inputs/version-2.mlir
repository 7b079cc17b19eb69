// Two losses with a scale each, and a parameter group. version-2.mpcx is what a
// compiler of before version 3 of program files made of it, by
// mpc-compile --lr=0.25 --clip-norm=100 --scale-init=1024.
func.func @old(%x: tensor<8x2xf32> {graph.input = "x"},
               %w: tensor<2xf32> {graph.parameter = "w", graph.init = #graph.fill<1.0>},
               %b: tensor<2xf32> {graph.parameter = "b", graph.init = #graph.fill<1.0>})
    -> (tensor<f32> {graph.loss = "main"}, tensor<f32> {graph.loss = "aux"})
    attributes {graph.training = #graph.training<precision = "fp16", 
      loss_scale = #graph.loss_scale<mode = "dynamic", scope = "per_loss">, optimizer = #graph.optimizer<name = "sgd", lr = 0.1>,
      groups = [#graph.parameter_group<name = "biases", pattern = "b", optimizer = #graph.optimizer<name = "sgd", lr = 0.2>>]>} {
  %0 = graph.mul %x, %w : (tensor<8x2xf32>, tensor<2xf32>) -> tensor<8x2xf32>
  %1 = graph.mul %0, %0 : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
  %main = graph.mean %1 dims = [0, 1] : (tensor<8x2xf32>) -> tensor<f32>
  %2 = graph.mul %b, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %aux = graph.mean %2 dims = [0] : (tensor<2xf32>) -> tensor<f32>
  return %main, %aux : tensor<f32>, tensor<f32>
}
