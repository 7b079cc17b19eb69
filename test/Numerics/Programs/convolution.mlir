// Convolutions in a net: of images with a stride and zeros, in groups and
// depthwise with a bias, of 1 x 1, also with a stride and back, channels last
// behind a transpose, transposed, and of one dim.
// RUN: %compare
// RUN: %compare --error-rule --steps=1 -- --precision=fp16 --loss-scale=256
// RUN: %compare --error-rule --steps=1 -- --precision=bf16 --autocast=torch --rounding=strict --loss-scale=dynamic
func.func @convolution(
    %x: tensor<4x3x9x8xf32> {graph.input = "x"},
    %target: tensor<4x3x9x8xf32> {graph.input = "target"},
    %w1: tensor<8x3x3x3xf32> {graph.parameter = "w1", graph.init = #graph.normal<0.0, 0.3>},
    %b1: tensor<8xf32> {graph.parameter = "b1", graph.init = #graph.uniform<-0.5, 0.5>},
    %w2: tensor<8x4x3x2xf32> {graph.parameter = "w2", graph.init = #graph.normal<0.0, 0.3>},
    %w3: tensor<8x3x3x1xf32> {graph.parameter = "w3", graph.init = #graph.normal<0.0, 0.3>},
    %w4: tensor<6x8x1x1xf32> {graph.parameter = "w4", graph.init = #graph.normal<0.0, 0.3>},
    %w5: tensor<6x3x3x3xf32> {graph.parameter = "w5", graph.init = #graph.normal<0.0, 0.3>},
    %w7: tensor<5x6x1x1xf32> {graph.parameter = "w7", graph.init = #graph.normal<0.0, 0.3>},
    %w8: tensor<5x6x1x1xf32> {graph.parameter = "w8", graph.init = #graph.normal<0.0, 0.3>},
    %w6: tensor<3x3x5xf32> {graph.parameter = "w6", graph.init = #graph.normal<0.0, 0.3>})
    -> (tensor<f32> {graph.loss}, tensor<4x3x9x8xf32> {graph.output = "y"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} {
  %0 = graph.convolution %x, %w1 strides = [2, 2] low = [1, 1] high = [1, 1] : (tensor<4x3x9x8xf32>, tensor<8x3x3x3xf32>) -> tensor<4x8x5x4xf32>
  %bias = graph.reshape %b1 : (tensor<8xf32>) -> tensor<8x1x1xf32>
  %1 = graph.add %0, %bias : (tensor<4x8x5x4xf32>, tensor<8x1x1xf32>) -> tensor<4x8x5x4xf32>
  %2 = graph.relu %1 : tensor<4x8x5x4xf32>
  %3 = graph.convolution %2, %w2 same groups = 2 : (tensor<4x8x5x4xf32>, tensor<8x4x3x2xf32>) -> tensor<4x8x5x4xf32>
  %4 = graph.transpose %3 permutation = [0, 2, 3, 1] : (tensor<4x8x5x4xf32>) -> tensor<4x5x4x8xf32>
  %5 = graph.convolution %4, %w3 low = [2, 1] high = [2, 1] dilations = [2, 1] groups = 8 channels_last : (tensor<4x5x4x8xf32>, tensor<8x3x3x1xf32>) -> tensor<4x5x4x8xf32>
  %6 = graph.tanh %5 : tensor<4x5x4x8xf32>
  %7 = graph.transpose %6 permutation = [0, 3, 1, 2] : (tensor<4x5x4x8xf32>) -> tensor<4x8x5x4xf32>
  %8 = graph.convolution %7, %w4 : (tensor<4x8x5x4xf32>, tensor<6x8x1x1xf32>) -> tensor<4x6x5x4xf32>
  %down = graph.convolution %8, %w7 strides = [2, 2] : (tensor<4x6x5x4xf32>, tensor<5x6x1x1xf32>) -> tensor<4x5x3x2xf32>
  %up = graph.transposed_convolution %down, %w8 sizes = [5, 4] strides = [2, 2] : (tensor<4x5x3x2xf32>, tensor<5x6x1x1xf32>) -> tensor<4x6x5x4xf32>
  %both = graph.add %8, %up : (tensor<4x6x5x4xf32>, tensor<4x6x5x4xf32>) -> tensor<4x6x5x4xf32>
  %9 = graph.transposed_convolution %both, %w5 sizes = [9, 8] strides = [2, 2] low = [1, 1] high = [1, 1] : (tensor<4x6x5x4xf32>, tensor<6x3x3x3xf32>) -> tensor<4x3x9x8xf32>
  %10 = graph.reshape %9 : (tensor<4x3x9x8xf32>) -> tensor<4x3x72xf32>
  %11 = graph.convolution %10, %w6 same : (tensor<4x3x72xf32>, tensor<3x3x5xf32>) -> tensor<4x3x72xf32>
  %y = graph.reshape %11 : (tensor<4x3x72xf32>) -> tensor<4x3x9x8xf32>
  %loss = graph.mse %y, %target : (tensor<4x3x9x8xf32>, tensor<4x3x9x8xf32>) -> tensor<f32>
  return %loss, %y : tensor<f32>, tensor<4x3x9x8xf32>
}
