// Pools and resized tensors in a net, beside convolutions and alone: with a stride
// over zeros, with gaps, in tiles, more places than one expression reads, adaptive
// ones of unequal windows, global ones; nearest and linear neighbours, shuffled
// pixels, slices with steps; of one dim and of three.
// RUN: %compare
// RUN: %compare --error-rule --steps=1 -- --precision=fp16 --loss-scale=256
// RUN: %compare --error-rule --steps=1 -- --precision=bf16 --autocast=torch --rounding=strict --loss-scale=dynamic
func.func @pooling(
    %x: tensor<4x3x13x12xf32> {graph.input = "x"},
    %target: tensor<4x8xf32> {graph.input = "target"},
    %w1: tensor<8x3x3x3xf32> {graph.parameter = "w1", graph.init = #graph.normal<0.0, 0.3>},
    %w2: tensor<8x16x1x1xf32> {graph.parameter = "w2", graph.init = #graph.normal<0.0, 0.2>},
    %w3: tensor<8x2x3x3xf32> {graph.parameter = "w3", graph.init = #graph.normal<0.0, 0.3>},
    %w4: tensor<4x2x6x2x3xf32> {graph.parameter = "w4", graph.init = #graph.normal<0.0, 0.3>})
    -> (tensor<f32> {graph.loss}, tensor<4x8xf32> {graph.output = "y"}, tensor<4x8x7x6xi32> {graph.output = "index"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.02>>} {
  %0 = graph.convolution %x, %w1 same : (tensor<4x3x13x12xf32>, tensor<8x3x3x3xf32>) -> tensor<4x8x13x12xf32>
  %1 = graph.tanh %0 : tensor<4x8x13x12xf32>
  %2, %index = graph.max_pool %1 kernel = [3, 3] strides = [2, 2] low = [1, 1] high = [1, 1] : (tensor<4x8x13x12xf32>) -> (tensor<4x8x7x6xf32>, tensor<4x8x7x6xi32>)
  %3 = graph.average_pool %1 kernel = [3, 2] ceil strides = [2, 2] low = [1, 0] high = [1, 0] : (tensor<4x8x13x12xf32>) -> tensor<4x8x7x6xf32>
  %4 = graph.concat %2, %3 dim = 1 : (tensor<4x8x7x6xf32>, tensor<4x8x7x6xf32>) -> tensor<4x16x7x6xf32>
  %5 = graph.convolution %4, %w2 : (tensor<4x16x7x6xf32>, tensor<8x16x1x1xf32>) -> tensor<4x8x7x6xf32>
  %6 = graph.resize_nearest %5 sizes = [14, 12] asymmetric floor : (tensor<4x8x7x6xf32>) -> tensor<4x8x14x12xf32>
  %7 = graph.resize_linear %5 sizes = [14, 12] : (tensor<4x8x7x6xf32>) -> tensor<4x8x14x12xf32>
  %8 = graph.add %6, %7 : (tensor<4x8x14x12xf32>, tensor<4x8x14x12xf32>) -> tensor<4x8x14x12xf32>
  %9 = graph.pixel_shuffle %8 factor = 2 : (tensor<4x8x14x12xf32>) -> tensor<4x2x28x24xf32>
  %10, %i1 = graph.max_pool %9 kernel = [5, 5] strides = [2, 2] low = [2, 2] high = [1, 1] dilations = [1, 1] : (tensor<4x2x28x24xf32>) -> (tensor<4x2x14x12xf32>, tensor<4x2x14x12xi32>)
  %11 = graph.convolution %10, %w3 strides = [2, 2] : (tensor<4x2x14x12xf32>, tensor<8x2x3x3xf32>) -> tensor<4x8x6x5xf32>
  %12, %i2 = graph.adaptive_max_pool %11 sizes = [4, 3] : (tensor<4x8x6x5xf32>) -> (tensor<4x8x4x3xf32>, tensor<4x8x4x3xi32>)
  %13 = graph.adaptive_average_pool %11 sizes = [4, 3] : (tensor<4x8x6x5xf32>) -> tensor<4x8x4x3xf32>
  %scale = graph.tanh %13 : tensor<4x8x4x3xf32>
  %14 = graph.mul %12, %scale : (tensor<4x8x4x3xf32>, tensor<4x8x4x3xf32>) -> tensor<4x8x4x3xf32>
  %15 = graph.adaptive_average_pool %14 sizes = [1, 1] : (tensor<4x8x4x3xf32>) -> tensor<4x8x1x1xf32>
  %16 = graph.reshape %15 : (tensor<4x8x1x1xf32>) -> tensor<4x8xf32>
  // Of a parameter, channels first.
  %17, %i3 = graph.max_pool %w4 kernel = [2, 2, 2] strides = [2, 1, 1] : (tensor<4x2x6x2x3xf32>) -> (tensor<4x2x3x1x2xf32>, tensor<4x2x3x1x2xi32>)
  %18 = graph.slice %17 offsets = [0, 0, 0, 0, 0] sizes = [4, 2, 2, 1, 2] steps = [1, 1, 2, 1, 1] : (tensor<4x2x3x1x2xf32>) -> tensor<4x2x2x1x2xf32>
  %19 = graph.reshape %18 : (tensor<4x2x2x1x2xf32>) -> tensor<4x8xf32>
  %20 = graph.reshape %w4 : (tensor<4x2x6x2x3xf32>) -> tensor<4x2x36xf32>
  %21 = graph.average_pool %20 kernel = [9] strides = [9] : (tensor<4x2x36xf32>) -> tensor<4x2x4xf32>
  %22 = graph.resize_cubic %21 sizes = [7] align_corners : (tensor<4x2x4xf32>) -> tensor<4x2x7xf32>
  %23 = graph.window %22 offsets = [0, 0, -1] sizes = [4, 2, 4] steps = [1, 1, 3] : (tensor<4x2x7xf32>) -> tensor<4x2x4xf32>
  %24 = graph.reshape %23 : (tensor<4x2x4xf32>) -> tensor<4x8xf32>
  %25 = graph.add %16, %19 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %y = graph.add %25, %24 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %loss = graph.mse %y, %target : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<f32>
  return %loss, %y, %index : tensor<f32>, tensor<4x8xf32>, tensor<4x8x7x6xi32>
}
