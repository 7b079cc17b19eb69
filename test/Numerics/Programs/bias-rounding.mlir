// Products of about 128 and a bias of about -128 are rounded once: bounds are a
// rounding of their sum, which is at most 30, and less than half of one of the
// product. Also where several kernels read the sum, and two sums are of one product.
// (Factors are powers of two: nothing else is rounded.)
// RUN: %compare --rounded --low=0.9 --high=1.1 --rtol=0.004 --atol=0.02 --steps=1 -- --precision=bf16 --loss-scale=none
// RUN: %compare --rounded --low=0.9 --high=1.1 --rtol=0.004 --atol=0.02 --steps=1 -- --precision=bf16 --loss-scale=none --rounding=strict
// RUN: %compare --rounded --low=0.9 --high=1.1 --rtol=0.0005 --atol=0.0025 --steps=1 -- --precision=fp16 --autocast=torch --loss-scale=none
func.func @rounding(
    %x: tensor<5x8xf32> {graph.input = "x"},
    %w: tensor<8x6xf32> {graph.parameter = "w", graph.init = #graph.uniform<0.9, 1.1>},
    %v: tensor<8x6xf32> {graph.parameter = "v", graph.init = #graph.uniform<0.9, 1.1>},
    %b: tensor<6xf32> {graph.parameter = "b", graph.init = #graph.fill<1.0>},
    %c: tensor<6xf32> {graph.parameter = "c", graph.init = #graph.fill<1.0>})
    -> (tensor<f32> {graph.loss}, tensor<5x6xf32> {graph.output = "y"}, tensor<5x6xf32> {graph.output = "z"}, tensor<5x6xf32> {graph.output = "u"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.001>>} {
  %factor = graph.constant dense<16.0> : tensor<f32>
  %minus = graph.constant dense<-128.0> : tensor<f32>
  %ws = graph.mul %w, %factor : (tensor<8x6xf32>, tensor<f32>) -> tensor<8x6xf32>
  %vs = graph.mul %v, %factor : (tensor<8x6xf32>, tensor<f32>) -> tensor<8x6xf32>
  %bs = graph.mul %b, %minus : (tensor<6xf32>, tensor<f32>) -> tensor<6xf32>
  %cs = graph.mul %c, %minus : (tensor<6xf32>, tensor<f32>) -> tensor<6xf32>
  %y = graph.matmul %x, %ws bias %bs : (tensor<5x8xf32>, tensor<8x6xf32>, tensor<6xf32>) -> tensor<5x6xf32>
  %z = graph.matmul %x, %ws bias %cs : (tensor<5x8xf32>, tensor<8x6xf32>, tensor<6xf32>) -> tensor<5x6xf32>
  %u = graph.matmul %x, %vs bias %bs : (tensor<5x8xf32>, tensor<8x6xf32>, tensor<6xf32>) -> tensor<5x6xf32>
  %0 = graph.relu %u : tensor<5x6xf32>
  %1 = graph.mean %y dims = [0, 1] dtype = f32 : (tensor<5x6xf32>) -> tensor<f32>
  %2 = graph.mean %z dims = [0, 1] dtype = f32 : (tensor<5x6xf32>) -> tensor<f32>
  %3 = graph.mean %0 dims = [0, 1] dtype = f32 : (tensor<5x6xf32>) -> tensor<f32>
  %4 = graph.add %1, %2 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %loss = graph.add %4, %3 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %loss, %y, %z, %u : tensor<f32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>
}
