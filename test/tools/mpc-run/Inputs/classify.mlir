// A classifier for batches of 4, with every kind of shape that a batch size is
// written in.
func.func @classify(%x: tensor<4x6xf32> {graph.input = "x"}, %label: tensor<4xi32> {graph.input = "label"},
                    %w1: tensor<3x5xf32> {graph.parameter = "w1", graph.init = #graph.normal<0.0, 0.5>},
                    %b1: tensor<5xf32> {graph.parameter = "b1", graph.init = #graph.uniform<-1.0, 1.0>},
                    %w2: tensor<5x4xf32> {graph.parameter = "w2", graph.init = #graph.normal<0.0, 0.5>})
    -> (tensor<f32> {graph.loss}, tensor<4x4xf32> {graph.output = "logits"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} {
  %0 = graph.reshape %x : (tensor<4x6xf32>) -> tensor<8x3xf32>
  %1 = graph.matmul %0, %w1 : (tensor<8x3xf32>, tensor<3x5xf32>) -> tensor<8x5xf32>
  %2 = graph.broadcast %b1 : (tensor<5xf32>) -> tensor<8x5xf32>
  %3 = graph.add %1, %2 : (tensor<8x5xf32>, tensor<8x5xf32>) -> tensor<8x5xf32>
  %4 = graph.relu %3 : tensor<8x5xf32>
  %5 = graph.reshape %4 : (tensor<8x5xf32>) -> tensor<4x2x5xf32>
  %6 = graph.slice %5 offsets = [0, 1, 0] sizes = [4, 1, 5] : (tensor<4x2x5xf32>) -> tensor<4x1x5xf32>
  %7 = graph.reshape %6 : (tensor<4x1x5xf32>) -> tensor<4x5xf32>
  %half = graph.constant dense<0.5> : tensor<4x5xf32>
  %8 = graph.mul %7, %half : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %logits = graph.matmul %8, %w2 : (tensor<4x5xf32>, tensor<5x4xf32>) -> tensor<4x4xf32>
  %loss = graph.cross_entropy %logits, %label ignore_index = -1 : (tensor<4x4xf32>, tensor<4xi32>) -> tensor<f32>
  return %loss, %logits : tensor<f32>, tensor<4x4xf32>
}
