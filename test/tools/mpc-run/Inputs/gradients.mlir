// y = (h + s b) V F with h = x W: a model whose gradients can be written down.
// F is frozen, and no loss depends on `unused`; a decay would change both.
func.func @gradients(
    %x: tensor<BATCHx3xf32> {graph.input = "x"},
    %t: tensor<BATCHx2xf32> {graph.input = "t"},
    %w: tensor<3x4xf32> {graph.parameter = "first.w", graph.init = #graph.normal<0.0, 0.5>},
    %b: tensor<4xf32> {graph.parameter = "first.b", graph.init = #graph.normal<0.0, 0.5>},
    %v: tensor<4x2xf32> {graph.parameter = "v", graph.init = #graph.normal<0.0, 0.5>},
    %s: tensor<f32> {graph.parameter = "s", graph.init = #graph.fill<0.5>},
    %f: tensor<2x2xf32> {graph.parameter = "f", graph.init = #graph.normal<0.0, 1.0>, graph.frozen},
    %u: tensor<5xf32> {graph.parameter = "unused", graph.init = #graph.fill<1.0>})
    -> (tensor<f32> {graph.loss}, tensor<BATCHx2xf32> {graph.output = "y"})
    attributes {graph.training = #graph.training<
      optimizer = #graph.optimizer<name = "sgd", lr = 0.25>,
      groups = [#graph.parameter_group<name = "biases", pattern = ".*b|s|f|unused",
                                       optimizer = #graph.optimizer<name = "sgd", lr = 0.125, momentum = 0.5, weight_decay = 0.5>>],
      output_gradients = ".*">} {
  %h = graph.matmul %x, %w : (tensor<BATCHx3xf32>, tensor<3x4xf32>) -> tensor<BATCHx4xf32>
  %c = graph.mul %b, %s : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %g = graph.add %h, %c : (tensor<BATCHx4xf32>, tensor<4xf32>) -> tensor<BATCHx4xf32>
  %z = graph.matmul %g, %v : (tensor<BATCHx4xf32>, tensor<4x2xf32>) -> tensor<BATCHx2xf32>
  %y = graph.matmul %z, %f : (tensor<BATCHx2xf32>, tensor<2x2xf32>) -> tensor<BATCHx2xf32>
  %r = graph.sub %y, %t : (tensor<BATCHx2xf32>, tensor<BATCHx2xf32>) -> tensor<BATCHx2xf32>
  %q = graph.mul %r, %r : (tensor<BATCHx2xf32>, tensor<BATCHx2xf32>) -> tensor<BATCHx2xf32>
  %loss = graph.mean %q dims = [0, 1] : (tensor<BATCHx2xf32>) -> tensor<f32>
  return %loss, %y : tensor<f32>, tensor<BATCHx2xf32>
}
