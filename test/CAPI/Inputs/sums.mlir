// A matmul with a bias, a column sum, a normalisation and a long elementwise
// chain before the loss, each of which meets its gradient in the step.
func.func @sums(
    %x: tensor<24x40xf32> {graph.input = "x"},
    %w: tensor<40x129xf32> {graph.parameter = "w", graph.init = #graph.normal<0.0, 0.3>},
    %b: tensor<129xf32> {graph.parameter = "b", graph.init = #graph.normal<0.0, 0.3>},
    %p: tensor<4x6x129xf32> {graph.parameter = "p", graph.init = #graph.normal<0.0, 0.5>})
    -> (tensor<f32> {graph.loss})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.01>>} {
  %0 = graph.matmul %x, %w : (tensor<24x40xf32>, tensor<40x129xf32>) -> tensor<24x129xf32>
  %1 = graph.add %0, %b : (tensor<24x129xf32>, tensor<129xf32>) -> tensor<24x129xf32>
  %2 = graph.gelu %1 : tensor<24x129xf32>
  %3 = graph.layer_norm %2 first_dim = 1 : (tensor<24x129xf32>) -> tensor<24x129xf32>
  %4 = graph.reshape %3 : (tensor<24x129xf32>) -> tensor<4x6x129xf32>
  %5 = graph.mul %4, %p : (tensor<4x6x129xf32>, tensor<4x6x129xf32>) -> tensor<4x6x129xf32>
  %6 = graph.sigmoid %5 : tensor<4x6x129xf32>
  %7 = graph.tanh %6 : tensor<4x6x129xf32>
  %8 = graph.sqrt %7 : tensor<4x6x129xf32>
  %9 = graph.sum %8 dims = [0] : (tensor<4x6x129xf32>) -> tensor<6x129xf32>
  %10 = graph.mul %8, %9 : (tensor<4x6x129xf32>, tensor<6x129xf32>) -> tensor<4x6x129xf32>
  %loss = graph.mean %10 dims = [0, 1, 2] : (tensor<4x6x129xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
