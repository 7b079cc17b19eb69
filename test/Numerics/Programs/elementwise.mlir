// One of each elementwise op, on odd long rows, with ties of maximum and minimum
// left out by random data; a reshaped splat is read by two kernels.
// RUN: %compare
// RUN: %compare --error-rule --steps=1 -- --precision=bf16 --loss-scale=none
func.func @elementwise(
    %x: tensor<5x1025xf32> {graph.input = "x"},
    %y: tensor<5x1xf32> {graph.input = "y"},
    %a: tensor<1025xf32> {graph.parameter = "a", graph.init = #graph.normal<0.0, 1.0>},
    %b: tensor<5x1xf32> {graph.parameter = "b", graph.init = #graph.fill<0.5>},
    %c: tensor<f32> {graph.parameter = "c", graph.init = #graph.fill<2.0>})
    -> (tensor<f32> {graph.loss}, tensor<5x1025xf32> {graph.output = "out"}, tensor<5xf32> {graph.output = "rows"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.05>>} {
  %0 = graph.mul %x, %a : (tensor<5x1025xf32>, tensor<1025xf32>) -> tensor<5x1025xf32>
  %1 = graph.maximum %0, %b : (tensor<5x1025xf32>, tensor<5x1xf32>) -> tensor<5x1025xf32>
  %2 = graph.minimum %1, %c : (tensor<5x1025xf32>, tensor<f32>) -> tensor<5x1025xf32>
  %3 = graph.abs %2 : tensor<5x1025xf32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %4 = graph.add %3, %one : (tensor<5x1025xf32>, tensor<f32>) -> tensor<5x1025xf32>
  %5 = graph.pow %4, %c : (tensor<5x1025xf32>, tensor<f32>) -> tensor<5x1025xf32>
  %6 = graph.log %5 : tensor<5x1025xf32>
  %7 = graph.sqrt %4 : tensor<5x1025xf32>
  %8 = graph.rsqrt %4 : tensor<5x1025xf32>
  %9 = graph.div %7, %4 : (tensor<5x1025xf32>, tensor<5x1025xf32>) -> tensor<5x1025xf32>
  %10 = graph.sub %6, %9 : (tensor<5x1025xf32>, tensor<5x1025xf32>) -> tensor<5x1025xf32>
  %11 = graph.erf %10 : tensor<5x1025xf32>
  %12 = graph.exp %11 : tensor<5x1025xf32>
  %13 = graph.mul %12, %8 : (tensor<5x1025xf32>, tensor<5x1025xf32>) -> tensor<5x1025xf32>
  %less = graph.compare <lt> %x, %y : (tensor<5x1025xf32>, tensor<5x1xf32>) -> tensor<5x1025xi1>
  %14 = graph.gelu %13 : tensor<5x1025xf32>
  %15 = graph.neg %13 : tensor<5x1025xf32>
  %16 = graph.select %less, %14, %15 : (tensor<5x1025xi1>, tensor<5x1025xf32>, tensor<5x1025xf32>) -> tensor<5x1025xf32>
  %17 = graph.relu %16 : tensor<5x1025xf32>
  %18 = graph.max %16 dims = [1] : (tensor<5x1025xf32>) -> tensor<5xf32>
  %19 = graph.mean %17 dims = [1] : (tensor<5x1025xf32>) -> tensor<5xf32>
  %20 = graph.mul %18, %19 : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  %loss = graph.sum %20 dims = [0] : (tensor<5xf32>) -> tensor<f32>
  return %loss, %16, %20 : tensor<f32>, tensor<5x1025xf32>, tensor<5xf32>
}
