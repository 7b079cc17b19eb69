// Rank 0 and size 1 throughout.
// RUN: %compare
// RUN: %compare -- --loss-scale=dynamic
// RUN: %compare --rounded --rtol=0.05 --atol=0.02 -- --precision=fp16 --loss-scale=16
func.func @tiny(
    %x: tensor<1xf32> {graph.input = "x"},
    %a: tensor<f32> {graph.parameter = "a", graph.init = #graph.fill<0.5>},
    %b: tensor<1x1xf32> {graph.parameter = "b", graph.init = #graph.fill<0.5>})
    -> (tensor<f32> {graph.loss}, tensor<1x1xf32> {graph.output = "y"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "adamw", lr = 0.1, weight_decay = 0.1>, clip = #graph.clip<norm = 0.5>>} {
  %0 = graph.mul %x, %a : (tensor<1xf32>, tensor<f32>) -> tensor<1xf32>
  %1 = graph.reshape %0 : (tensor<1xf32>) -> tensor<1x1xf32>
  %2 = graph.matmul %1, %b : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
  %3 = graph.softmax %2 dim = 0 : (tensor<1x1xf32>) -> tensor<1x1xf32>
  %4 = graph.add %2, %3 : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
  %5 = graph.mul %4, %4 : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
  %loss = graph.sum %5 dims = [0, 1] : (tensor<1x1xf32>) -> tensor<f32>
  return %loss, %4 : tensor<f32>, tensor<1x1xf32>
}
