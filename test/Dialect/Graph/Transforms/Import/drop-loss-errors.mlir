// RUN: mpc-opt %s --mpc-drop-loss --split-input-file --verify-diagnostics

// What a model predicts is for the model to say.
// expected-error @+1 {{expected an output beside the loss, which is dropped: mark what the model predicts as a result with graph.output = "NAME"}}
func.func @model(%x: tensor<4x3xf32> {graph.input = "x"}, %t: tensor<4x3xf32> {graph.input = "t"})
    -> (tensor<f32> {graph.loss}) {
  %loss = graph.mse %x, %t : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----
// The labels were what said how large a batch is.
// expected-error @+1 {{expected inputs without those of the loss to begin with one of a batch of 4, but the first has 3 rows; put an input of samples in front}}
func.func @model(%label: tensor<4xi32> {graph.input = "label"}, %table: tensor<3x5xf32> {graph.input = "table"},
                 %x: tensor<4x3xf32> {graph.input = "x"}) -> (tensor<f32> {graph.loss}, tensor<4x5xf32> {graph.output = "y"}) {
  %y = graph.matmul %x, %table : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  %loss = graph.cross_entropy %y, %label : (tensor<4x5xf32>, tensor<4xi32>) -> tensor<f32>
  return %loss, %y : tensor<f32>, tensor<4x5xf32>
}
