func.func @step(%w: tensor<f16> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}, tensor<f16> {graph.gradient = "w"})
    attributes {graph.entry = "step", graph.training = #graph.training<loss_scale = #graph.loss_scale<mode = "dynamic">>} {
  %seed = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  %g = graph.cast %seed : (tensor<f32>) -> tensor<f16>
  return %seed, %g : tensor<f32>, tensor<f16>
}
