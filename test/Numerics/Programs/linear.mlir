// A loss that is linear in a parameter: its gradient waits for nothing, so that the update is made beside the forward, while
// other steps read the old value still.
// RUN: %compare
// RUN: %compare -- --loss-scale=dynamic --rounding=strict
func.func @linear(
    %x: tensor<5x6xf32> {graph.input = "x"},
    %p: tensor<5x6xf32> {graph.parameter = "p", graph.init = #graph.normal<0.0, 0.5>})
    -> (tensor<f32> {graph.loss}, tensor<2x5x6xf32> {graph.output = "s"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} {
  %a = graph.add %p, %x : (tensor<5x6xf32>, tensor<5x6xf32>) -> tensor<5x6xf32>
  %s = graph.stack %p, %a dim = 0 : (tensor<5x6xf32>, tensor<5x6xf32>) -> tensor<2x5x6xf32>
  %loss = graph.sum %s dims = [0, 1, 2] : (tensor<2x5x6xf32>) -> tensor<f32>
  return %loss, %s : tensor<f32>, tensor<2x5x6xf32>
}
