// Products and convolutions with a bias: two layers behind each other, of rank 3,
// transposed, to another type, in another type than their operands, two of one
// product, one of zeros and one that is a constant; windows, a product of
// matrices and what a stride leaves out. Bounds are those of bf16 in the middle.
// RUN: %compare --rounded --rtol=0.02 --atol=0.01 --steps=1
// RUN: %compare --rounded --rtol=0.03 --atol=0.05 --steps=1 -- --precision=fp16 --loss-scale=256
// RUN: %compare --rounded --rtol=0.05 --atol=0.06 --steps=1 -- --precision=bf16 --autocast=torch --loss-scale=none
// RUN: %compare --rounded --rtol=0.05 --atol=0.06 --steps=1 -- --precision=bf16 --rounding=strict --loss-scale=none
func.func @biases(
    %x: tensor<2x4x6xf32> {graph.input = "x"},
    %w1: tensor<6x8xf32> {graph.parameter = "w1", graph.init = #graph.normal<0.0, 0.3>},
    %b1: tensor<8xf32> {graph.parameter = "b1", graph.init = #graph.uniform<-0.5, 0.5>},
    %w2: tensor<5x8xf32> {graph.parameter = "w2", graph.init = #graph.normal<0.0, 0.3>},
    %b2: tensor<5xf32> {graph.parameter = "b2", graph.init = #graph.uniform<-0.5, 0.5>},
    %b3: tensor<5xf32> {graph.parameter = "b3", graph.init = #graph.uniform<-0.5, 0.5>},
    %w4: tensor<5x8xf32> {graph.parameter = "w4", graph.init = #graph.normal<0.0, 0.3>},
    %b4: tensor<8xf32> {graph.parameter = "b4", graph.init = #graph.uniform<-0.5, 0.5>},
    %k1: tensor<6x4x3xf32> {graph.parameter = "k1", graph.init = #graph.normal<0.0, 0.3>},
    %c1: tensor<6xf32> {graph.parameter = "c1", graph.init = #graph.uniform<-0.5, 0.5>},
    %k2: tensor<3x6x1xf32> {graph.parameter = "k2", graph.init = #graph.normal<0.0, 0.3>},
    %c2: tensor<3xf32> {graph.parameter = "c2", graph.init = #graph.uniform<-0.5, 0.5>},
    %k3: tensor<3x4x1xf32> {graph.parameter = "k3", graph.init = #graph.normal<0.0, 0.3>},
    %c3: tensor<4xf32> {graph.parameter = "c3", graph.init = #graph.uniform<-0.5, 0.5>})
    -> (tensor<f32> {graph.loss}, tensor<2x4x15xf32> {graph.output = "y"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.02>>} {
  %0 = graph.matmul %x, %w1 bias %b1 : (tensor<2x4x6xf32>, tensor<6x8xf32>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %1 = graph.gelu %0 kind = <tanh> : tensor<2x4x8xf32>
  %2 = graph.matmul %1, %w2 bias %b2 transpose_rhs : (tensor<2x4x8xf32>, tensor<5x8xf32>, tensor<5xf32>) -> tensor<2x4x5xf32>
  %3 = graph.matmul %1, %w2 bias %b3 transpose_rhs : (tensor<2x4x8xf32>, tensor<5x8xf32>, tensor<5xf32>) -> tensor<2x4x5xf32>
  %5 = graph.add %2, %3 : (tensor<2x4x5xf32>, tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
  %6 = graph.cast %5 : (tensor<2x4x5xf32>) -> tensor<2x4x5xbf16>
  %7 = graph.cast %w4 : (tensor<5x8xf32>) -> tensor<5x8xbf16>
  %8 = graph.matmul %6, %7 bias %b4 : (tensor<2x4x5xbf16>, tensor<5x8xbf16>, tensor<8xf32>) -> tensor<2x4x8xbf16>
  %9 = graph.matmul %6, %7 bias %b4 dtype = f32 : (tensor<2x4x5xbf16>, tensor<5x8xbf16>, tensor<8xf32>) -> tensor<2x4x8xf32>
  %zeros = graph.constant dense<0.0> : tensor<5xf32>
  %ones = graph.constant dense<1.0> : tensor<5xf32>
  %10 = graph.matmul %9, %w2 bias %zeros transpose_rhs : (tensor<2x4x8xf32>, tensor<5x8xf32>, tensor<5xf32>) -> tensor<2x4x5xf32>
  %11 = graph.matmul %9, %w2 bias %ones transpose_rhs : (tensor<2x4x8xf32>, tensor<5x8xf32>, tensor<5xf32>) -> tensor<2x4x5xf32>
  %12 = graph.add %10, %11 : (tensor<2x4x5xf32>, tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
  %13 = graph.cast %8 : (tensor<2x4x8xbf16>) -> tensor<2x4x8xf32>
  %14 = graph.convolution %13, %k1 bias %c1 same : (tensor<2x4x8xf32>, tensor<6x4x3xf32>, tensor<6xf32>) -> tensor<2x6x8xf32>
  %15 = graph.relu %14 : tensor<2x6x8xf32>
  %16 = graph.convolution %15, %k2 bias %c2 : (tensor<2x6x8xf32>, tensor<3x6x1xf32>, tensor<3xf32>) -> tensor<2x3x8xf32>
  %17 = graph.slice %16 offsets = [0, 0, 0] sizes = [2, 3, 5] : (tensor<2x3x8xf32>) -> tensor<2x3x5xf32>
  %18 = graph.transposed_convolution %17, %k3 bias %c3 sizes = [10] strides = [2] : (tensor<2x3x5xf32>, tensor<3x4x1xf32>, tensor<4xf32>) -> tensor<2x4x10xf32>
  %y = graph.concat %12, %18 dim = 2 : (tensor<2x4x5xf32>, tensor<2x4x10xf32>) -> tensor<2x4x15xf32>
  %19 = graph.mul %y, %y : (tensor<2x4x15xf32>, tensor<2x4x15xf32>) -> tensor<2x4x15xf32>
  %loss = graph.mean %19 dims = [0, 1, 2] dtype = f32 : (tensor<2x4x15xf32>) -> tensor<f32>
  return %loss, %y : tensor<f32>, tensor<2x4x15xf32>
}
