func.func @net(
    %x: tensor<64x64xf32> {graph.input = "x"}, %label: tensor<64xi32> {graph.input = "label"},
    %w1: tensor<64x16xf32> {graph.parameter = "w1", graph.init = #graph.normal<0.0, 0.1>},
    %scale: tensor<16xf32> {graph.parameter = "scale", graph.init = #graph.fill<1.0>},
    %w2: tensor<16x10xf32> {graph.parameter = "w2", graph.init = #graph.normal<0.0, 0.1>},
    %mean: tensor<16xf32> {graph.state = #graph.state<"mean" running_statistic init #graph.zeros>},
    %variance: tensor<16xf32> {graph.state = #graph.state<"variance" running_statistic init #graph.fill<1.0>>})
    -> (tensor<f32> {graph.loss}, tensor<64x10xf32> {graph.output = "logits"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} {
  %0 = graph.matmul %x, %w1 : (tensor<64x64xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
  %1 = graph.batch_norm %0 weight %scale running %mean, %variance : (tensor<64x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<64x16xf32>
  %2 = graph.relu %1 : tensor<64x16xf32>
  %logits = graph.matmul %2, %w2 : (tensor<64x16xf32>, tensor<16x10xf32>) -> tensor<64x10xf32>
  %loss = graph.cross_entropy %logits, %label : (tensor<64x10xf32>, tensor<64xi32>) -> tensor<f32>
  return %loss, %logits : tensor<f32>, tensor<64x10xf32>
}
