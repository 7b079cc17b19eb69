// Reductions over first, middle and last dims; cross entropy with mask and ignored
// labels of type i64 on a batch of rows.
// RUN: %compare --classes=9
// RUN: %compare --classes=9 --error-rule --steps=1 -- --precision=fp16 --loss-scale=64
func.func @reduce(
    %x: tensor<4x17x3x5xf32> {graph.input = "x"},
    %mask: tensor<4x17xi1> {graph.input = "mask"},
    %label: tensor<4x17xi64> {graph.input = "label"},
    %w: tensor<17x1x5xf32> {graph.parameter = "w", graph.init = #graph.fill<1.0>},
    %v: tensor<3x9xf32> {graph.parameter = "v", graph.init = #graph.normal<0.0, 1.0>},
    %u: tensor<4x1x3x1xf32> {graph.parameter = "u", graph.init = #graph.normal<0.0, 1.0>})
    -> (tensor<f32> {graph.loss}, tensor<4x17x9xf32> {graph.output = "y"}, tensor<17x3xf32> {graph.output = "cols"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} {
  %0 = graph.mul %x, %w : (tensor<4x17x3x5xf32>, tensor<17x1x5xf32>) -> tensor<4x17x3x5xf32>
  %1 = graph.add %0, %u : (tensor<4x17x3x5xf32>, tensor<4x1x3x1xf32>) -> tensor<4x17x3x5xf32>
  %2 = graph.mean %1 dims = [3] : (tensor<4x17x3x5xf32>) -> tensor<4x17x3xf32>
  %3 = graph.max %1 dims = [0, 3] : (tensor<4x17x3x5xf32>) -> tensor<17x3xf32>
  %4 = graph.sum %1 dims = [1] keep : (tensor<4x17x3x5xf32>) -> tensor<4x1x3x5xf32>
  %5 = graph.softmax %4 dim = 2 : (tensor<4x1x3x5xf32>) -> tensor<4x1x3x5xf32>
  %6 = graph.mean %5 dims = [1, 3] : (tensor<4x1x3x5xf32>) -> tensor<4x3xf32>
  %7 = graph.reshape %6 : (tensor<4x3xf32>) -> tensor<4x1x3xf32>
  %8 = graph.add %2, %7 : (tensor<4x17x3xf32>, tensor<4x1x3xf32>) -> tensor<4x17x3xf32>
  %9 = graph.add %8, %3 : (tensor<4x17x3xf32>, tensor<17x3xf32>) -> tensor<4x17x3xf32>
  %y = graph.matmul %9, %v : (tensor<4x17x3xf32>, tensor<3x9xf32>) -> tensor<4x17x9xf32>
  %loss = graph.cross_entropy %y, %label mask %mask ignore_index = 1 : (tensor<4x17x9xf32>, tensor<4x17xi64>, tensor<4x17xi1>) -> tensor<f32>
  return %loss, %y, %3 : tensor<f32>, tensor<4x17x9xf32>, tensor<17x3xf32>
}
