// A classifier for accumulation.py, which puts a number for BATCH.
func.func @classifier(
    %x: tensor<BATCHx12xf32>  {graph.input = "x"},
    %label: tensor<BATCHxi32> {graph.input = "label"},
    %w1: tensor<12x16xf32> {graph.parameter = "w1", graph.init = #graph.normal<0.0, 0.3>},
    %b1: tensor<16xf32>    {graph.parameter = "b1", graph.init = #graph.zeros},
    %w2: tensor<16x5xf32>  {graph.parameter = "w2", graph.init = #graph.normal<0.0, 0.3>})
    -> (tensor<f32> {graph.loss}, tensor<BATCHx5xf32> {graph.output = "logits"})
    attributes {graph.training = #graph.training<
      optimizer = #graph.optimizer<name = "adamw", lr = 0.01, weight_decay = 0.1>,
      clip = #graph.clip<norm = 1.0>>} {
  %0 = graph.matmul %x, %w1 : (tensor<BATCHx12xf32>, tensor<12x16xf32>) -> tensor<BATCHx16xf32>
  %1 = graph.add %0, %b1 : (tensor<BATCHx16xf32>, tensor<16xf32>) -> tensor<BATCHx16xf32>
  %2 = graph.tanh %1 : tensor<BATCHx16xf32>
  %3 = graph.matmul %2, %w2 : (tensor<BATCHx16xf32>, tensor<16x5xf32>) -> tensor<BATCHx5xf32>
  %loss = graph.cross_entropy %3, %label : (tensor<BATCHx5xf32>, tensor<BATCHxi32>) -> tensor<f32>
  return %loss, %3 : tensor<f32>, tensor<BATCHx5xf32>
}
