// Least squares with momentum; a parameter of rank 0. The scalars of the update and
// of the scaler gather in one kernel that must not overwrite a scale in use.
// RUN: %compare
// RUN: %compare -- --loss-scale=dynamic --scale-init=1024
// RUN: %compare -- --optimizer=adamw --clip-norm=0.1
// RUN: %compare --rounded --rtol=0.05 --atol=0.02 -- --precision=bf16 --rounding=strict --loss-scale=none --weight-copies=on-the-fly
func.func @regression(
    %x: tensor<33x17xf32> {graph.input = "x"},
    %target: tensor<33x5xf32> {graph.input = "target"},
    %w: tensor<17x5xf32> {graph.parameter = "w", graph.init = #graph.normal<0.0, 0.1>},
    %b: tensor<5xf32> {graph.parameter = "b", graph.init = #graph.zeros},
    %t: tensor<f32> {graph.parameter = "t", graph.init = #graph.fill<1.0>})
    -> (tensor<f32> {graph.loss}, tensor<33x5xf32> {graph.output = "prediction"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1, momentum = 0.9, weight_decay = 0.01>>} {
  %0 = graph.matmul %x, %w : (tensor<33x17xf32>, tensor<17x5xf32>) -> tensor<33x5xf32>
  %1 = graph.add %0, %b : (tensor<33x5xf32>, tensor<5xf32>) -> tensor<33x5xf32>
  %2 = graph.mul %1, %t : (tensor<33x5xf32>, tensor<f32>) -> tensor<33x5xf32>
  %loss = graph.mse %2, %target : (tensor<33x5xf32>, tensor<33x5xf32>) -> tensor<f32>
  return %loss, %2 : tensor<f32>, tensor<33x5xf32>
}
