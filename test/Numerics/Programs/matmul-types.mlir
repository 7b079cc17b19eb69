// Products whose result has a type that no library yields from such operands,
// as written and as autocast leaves them, on either side of the gradient.
// RUN: %compare --rounded --rtol=0.02 --atol=0.01 --steps=1
// RUN: %compare --rounded --rtol=0.02 --atol=0.01 --steps=1 -- --rounding=strict
// RUN: %compare --rounded --rtol=0.05 --atol=0.02 --steps=1 -- --precision=fp16 --autocast=torch --loss-scale=none
// RUN: %compare --rounded --rtol=0.05 --atol=0.02 --steps=1 -- --precision=fp16 --autocast=whole --loss-scale=none
func.func @types(
    %x: tensor<4x6xf32> {graph.input = "x"},
    %a: tensor<6x5xf32> {graph.parameter = "a", graph.init = #graph.normal<0.0, 0.3>},
    %b: tensor<5x7xf32> {graph.parameter = "b", graph.init = #graph.normal<0.0, 0.3>},
    %c: tensor<7xf32> {graph.parameter = "c", graph.init = #graph.zeros})
    -> (tensor<f32> {graph.loss}, tensor<4x7xbf16> {graph.output = "y"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1>, precision = "fp32">} {
  %0 = graph.matmul %x, %a dtype = f16 : (tensor<4x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf16>
  %1 = graph.cast %b : (tensor<5x7xf32>) -> tensor<5x7xf16>
  %2 = graph.matmul %0, %1 dtype = bf16 : (tensor<4x5xf16>, tensor<5x7xf16>) -> tensor<4x7xbf16>
  %3 = graph.cast %c : (tensor<7xf32>) -> tensor<7xbf16>
  %4 = graph.add %2, %3 : (tensor<4x7xbf16>, tensor<7xbf16>) -> tensor<4x7xbf16>
  %5 = graph.relu %4 : tensor<4x7xbf16>
  %6 = graph.cast %5 : (tensor<4x7xbf16>) -> tensor<4x7xf32>
  %7 = graph.mul %6, %6 : (tensor<4x7xf32>, tensor<4x7xf32>) -> tensor<4x7xf32>
  %loss = graph.mean %7 dims = [0, 1] : (tensor<4x7xf32>) -> tensor<f32>
  return %loss, %2 : tensor<f32>, tensor<4x7xbf16>
}
