// A linear layer, then layer_norm: with PyTorch's list for CPUs a 16-bit input
// beside f32 weights.
// RUN: %compare
// RUN: %compare --rounded --rtol=0.05 --atol=0.02 -- --profile=torch-cpu
// RUN: %compare --rounded --rtol=0.05 --atol=0.02 -- --profile=torch-cpu --precision=fp16 --rounding=strict --loss-scale=256
func.func @linear_norm(
    %x: tensor<6x10xf32> {graph.input = "x"}, %target: tensor<6x4xf32> {graph.input = "target"},
    %w: tensor<10x12xf32> {graph.parameter = "w", graph.init = #graph.normal<0.0, 0.3>},
    %g: tensor<12xf32> {graph.parameter = "g", graph.init = #graph.fill<1.0>},
    %b: tensor<12xf32> {graph.parameter = "b", graph.init = #graph.zeros},
    %v: tensor<12x4xf32> {graph.parameter = "v", graph.init = #graph.normal<0.0, 0.3>})
    -> (tensor<f32> {graph.loss}, tensor<6x12xf32> {graph.output = "n"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1, momentum = 0.9>>} {
  %0 = graph.matmul %x, %w : (tensor<6x10xf32>, tensor<10x12xf32>) -> tensor<6x12xf32>
  %1 = graph.layer_norm %0 weight %g bias %b first_dim = 1 : (tensor<6x12xf32>, tensor<12xf32>, tensor<12xf32>) -> tensor<6x12xf32>
  %2 = graph.gelu %1 : tensor<6x12xf32>
  %3 = graph.matmul %2, %v : (tensor<6x12xf32>, tensor<12x4xf32>) -> tensor<6x4xf32>
  %loss = graph.mse %3, %target : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<f32>
  return %loss, %1 : tensor<f32>, tensor<6x12xf32>
}
