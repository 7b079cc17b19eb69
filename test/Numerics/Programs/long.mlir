// One row of 50000.
// RUN: %compare --steps=2
func.func @long(
    %x: tensor<1x50000xf32> {graph.input = "x"},
    %label: tensor<1xi32> {graph.input = "label"},
    %w: tensor<50000xf32> {graph.parameter = "w", graph.init = #graph.fill<1.0>},
    %b: tensor<50000xf32> {graph.parameter = "b", graph.init = #graph.zeros})
    -> (tensor<f32> {graph.loss}, tensor<1x50000xf32> {graph.output = "y"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} {
  %n = graph.layer_norm %x weight %w bias %b first_dim = 1 : (tensor<1x50000xf32>, tensor<50000xf32>, tensor<50000xf32>) -> tensor<1x50000xf32>
  %s = graph.softmax %n dim = 1 : (tensor<1x50000xf32>) -> tensor<1x50000xf32>
  %l = graph.cross_entropy %n, %label : (tensor<1x50000xf32>, tensor<1xi32>) -> tensor<f32>
  %m = graph.max %s dims = [0, 1] : (tensor<1x50000xf32>) -> tensor<f32>
  %loss = graph.add %l, %m : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %loss, %s : tensor<f32>, tensor<1x50000xf32>
}
