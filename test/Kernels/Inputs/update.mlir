// The gradient of w is x, or the loss scale times x.
func.func @update(%x: tensor<37x5xf32> {graph.input = "x"},
                  %w: tensor<37x5xf32> {graph.parameter = "w", graph.init = #graph.normal<0.0, 1.0>})
    -> (tensor<f32> {graph.loss}) {
  %0 = graph.mul %w, %x : (tensor<37x5xf32>, tensor<37x5xf32>) -> tensor<37x5xf32>
  %loss = graph.sum %0 dims = [0, 1] : (tensor<37x5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
