// Normalizations of channels: behind a convolution, whose layout they take, and
// behind what has none; of groups, of samples, of the batch and by statistics
// that stay; without space and with three dims of it.
// RUN: %compare
// RUN: %compare --error-rule --steps=1 -- --precision=fp16 --loss-scale=256
// RUN: %compare --error-rule --steps=1 -- --precision=bf16 --autocast=torch --rounding=strict
func.func @norms(
    %x: tensor<4x3x9x8xf32> {graph.input = "x"},
    %target: tensor<4x6xf32> {graph.input = "target"},
    %w1: tensor<8x3x3x3xf32> {graph.parameter = "w1", graph.init = #graph.normal<0.0, 0.3>},
    %g1: tensor<8xf32> {graph.parameter = "g1", graph.init = #graph.uniform<-0.5, 0.5>},
    %b1: tensor<8xf32> {graph.parameter = "b1", graph.init = #graph.uniform<-0.5, 0.5>},
    %w2: tensor<8x8x1x1xf32> {graph.parameter = "w2", graph.init = #graph.normal<0.0, 0.3>},
    %g2: tensor<8xf32> {graph.parameter = "g2", graph.init = #graph.uniform<-0.5, 0.5>},
    %b2: tensor<8xf32> {graph.parameter = "b2", graph.init = #graph.uniform<-0.5, 0.5>},
    %g3: tensor<8xf32> {graph.parameter = "g3", graph.init = #graph.uniform<-0.5, 0.5>},
    %w4: tensor<24x6xf32> {graph.parameter = "w4", graph.init = #graph.normal<0.0, 0.3>},
    %m2: tensor<8xf32> {graph.state = #graph.state<"m2" running_statistic init #graph.zeros>},
    %v2: tensor<8xf32> {graph.state = #graph.state<"v2" running_statistic init #graph.fill<1.0>>},
    %m3: tensor<8xf32> {graph.state = #graph.state<"m3" running_statistic init #graph.zeros>},
    %v3: tensor<8xf32> {graph.state = #graph.state<"v3" running_statistic init #graph.fill<1.0>>},
    %m4: tensor<6xf32> {graph.state = #graph.state<"m4" running_statistic init #graph.zeros>},
    %v4: tensor<6xf32> {graph.state = #graph.state<"v4" running_statistic init #graph.fill<1.0>>})
    -> (tensor<f32> {graph.loss}, tensor<4x6xf32> {graph.output = "y"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} {
  %0 = graph.instance_norm %x : (tensor<4x3x9x8xf32>) -> tensor<4x3x9x8xf32>
  %1 = graph.convolution %0, %w1 low = [1, 1] high = [1, 1] : (tensor<4x3x9x8xf32>, tensor<8x3x3x3xf32>) -> tensor<4x8x9x8xf32>
  %2 = graph.group_norm %1 weight %g1 bias %b1 groups = 2 : (tensor<4x8x9x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8x9x8xf32>
  %3 = graph.silu %2 : tensor<4x8x9x8xf32>
  %4 = graph.convolution %3, %w2 : (tensor<4x8x9x8xf32>, tensor<8x8x1x1xf32>) -> tensor<4x8x9x8xf32>
  %5 = graph.batch_norm %4 weight %g2 bias %b2 running %m2, %v2 : (tensor<4x8x9x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8x9x8xf32>
  %6 = graph.add %3, %5 : (tensor<4x8x9x8xf32>, tensor<4x8x9x8xf32>) -> tensor<4x8x9x8xf32>
  %7 = graph.tanh %6 : tensor<4x8x9x8xf32>
  %8 = graph.batch_norm %7 weight %g3 running %m3, %v3 inference : (tensor<4x8x9x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8x9x8xf32>
  %9 = graph.mean %8 dims = [3] : (tensor<4x8x9x8xf32>) -> tensor<4x8x9xf32>
  %10 = graph.reshape %9 : (tensor<4x8x9xf32>) -> tensor<4x2x3x3x4xf32>
  %11 = graph.group_norm %10 groups = 2 channels_last : (tensor<4x2x3x3x4xf32>) -> tensor<4x2x3x3x4xf32>
  %12 = graph.reshape %11 : (tensor<4x2x3x3x4xf32>) -> tensor<4x3x24xf32>
  %13 = graph.mean %12 dims = [1] : (tensor<4x3x24xf32>) -> tensor<4x24xf32>
  %14 = graph.matmul %13, %w4 : (tensor<4x24xf32>, tensor<24x6xf32>) -> tensor<4x6xf32>
  %y = graph.batch_norm %14 running %m4, %v4 momentum = 0.3 population : (tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
  %loss = graph.mse %y, %target : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<f32>
  return %loss, %y : tensor<f32>, tensor<4x6xf32>
}
