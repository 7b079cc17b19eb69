// Three outputs that no step returns: of 8 MB, of 4 MB and of 2 KB.
func.func @three(%x: tensor<512x64xf32> {graph.input = "x"},
    %label: tensor<512xi32> {graph.input = "label"},
    %head: tensor<64x4000xf32> {graph.parameter = "head", graph.init = #graph.normal<0.0, 0.1>},
    %side: tensor<64x2000xf32> {graph.parameter = "side", graph.init = #graph.normal<0.0, 0.1>})
    -> (tensor<f32> {graph.loss}, tensor<512xf32> {graph.output = "size"},
        tensor<512x2000xf32> {graph.output = "beside"}, tensor<512x4000xf32> {graph.output = "logits"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1>, drop_outputs = ".*">} {
  %logits = graph.matmul %x, %head : (tensor<512x64xf32>, tensor<64x4000xf32>) -> tensor<512x4000xf32>
  %beside = graph.matmul %x, %side : (tensor<512x64xf32>, tensor<64x2000xf32>) -> tensor<512x2000xf32>
  %size = graph.norm %x dims = [1] : (tensor<512x64xf32>) -> tensor<512xf32>
  %one = graph.cross_entropy %logits, %label : (tensor<512x4000xf32>, tensor<512xi32>) -> tensor<f32>
  return %one, %size, %beside, %logits : tensor<f32>, tensor<512xf32>, tensor<512x2000xf32>, tensor<512x4000xf32>
}
