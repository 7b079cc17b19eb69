// Sums of about 128 and a bias of about -128 are rounded once on a processor, fused
// or strict: bounds are a rounding of what is left, which is at most 30, and less
// than half of one of the sum. (Factors are powers of two: nothing else is rounded.)
// A GPU's library rounds before: see "the bias of a convolution" in docs/Pipeline.md.
// RUN: %numpy %S/Inputs/train-and-compare.py %s %t --rounded --low=0.9 --high=1.1 --rtol=0.004 --atol=0.02 --steps=1 -- --precision=bf16 --loss-scale=none
// RUN: %numpy %S/Inputs/train-and-compare.py %s %t --rounded --low=0.9 --high=1.1 --rtol=0.004 --atol=0.02 --steps=1 -- --precision=bf16 --loss-scale=none --rounding=strict
// RUN: %numpy %S/Inputs/train-and-compare.py %s %t --rounded --low=0.9 --high=1.1 --rtol=0.0005 --atol=0.0025 --steps=1 -- --precision=fp16 --autocast=torch --loss-scale=none
func.func @rounding(
    %x: tensor<5x8x7xf32> {graph.input = "x"},
    %w: tensor<6x8x4xf32> {graph.parameter = "w", graph.init = #graph.uniform<0.9, 1.1>},
    %v: tensor<8x6x2xf32> {graph.parameter = "v", graph.init = #graph.uniform<0.9, 1.1>},
    %b: tensor<6xf32> {graph.parameter = "b", graph.init = #graph.fill<1.0>})
    -> (tensor<f32> {graph.loss}, tensor<5x6x4xf32> {graph.output = "y"}, tensor<5x4x6xf32> {graph.output = "z"}, tensor<5x6x14xf32> {graph.output = "u"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.001>>} {
  %four = graph.constant dense<4.0> : tensor<f32>
  %factor = graph.constant dense<16.0> : tensor<f32>
  %minus = graph.constant dense<-128.0> : tensor<f32>
  %ws = graph.mul %w, %four : (tensor<6x8x4xf32>, tensor<f32>) -> tensor<6x8x4xf32>
  %vs = graph.mul %v, %factor : (tensor<8x6x2xf32>, tensor<f32>) -> tensor<8x6x2xf32>
  %bs = graph.mul %b, %minus : (tensor<6xf32>, tensor<f32>) -> tensor<6xf32>
  %y = graph.convolution %x, %ws bias %bs : (tensor<5x8x7xf32>, tensor<6x8x4xf32>, tensor<6xf32>) -> tensor<5x6x4xf32>
  %xl = graph.transpose %x permutation = [0, 2, 1] : (tensor<5x8x7xf32>) -> tensor<5x7x8xf32>
  %wl = graph.transpose %ws permutation = [0, 2, 1] : (tensor<6x8x4xf32>) -> tensor<6x4x8xf32>
  %z = graph.convolution %xl, %wl bias %bs channels_last : (tensor<5x7x8xf32>, tensor<6x4x8xf32>, tensor<6xf32>) -> tensor<5x4x6xf32>
  %u = graph.transposed_convolution %x, %vs bias %bs strides = [2] : (tensor<5x8x7xf32>, tensor<8x6x2xf32>, tensor<6xf32>) -> tensor<5x6x14xf32>
  %0 = graph.relu %z : tensor<5x4x6xf32>
  %1 = graph.mean %y dims = [0, 1, 2] dtype = f32 : (tensor<5x6x4xf32>) -> tensor<f32>
  %2 = graph.mean %0 dims = [0, 1, 2] dtype = f32 : (tensor<5x4x6xf32>) -> tensor<f32>
  %3 = graph.mean %u dims = [0, 1, 2] dtype = f32 : (tensor<5x6x14xf32>) -> tensor<f32>
  %4 = graph.add %1, %2 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %loss = graph.add %4, %3 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %loss, %y, %z, %u : tensor<f32>, tensor<5x6x4xf32>, tensor<5x4x6xf32>, tensor<5x6x14xf32>
}
