// Two losses that share a parameter: with one scale, with one each, and with
// scalers that have every kind of state.
// RUN: mpc-opt %s --compile-to=exec --target=cuda --loss-scale=dynamic --scale-scope=per_loss -o /dev/null
// RUN: %compare -- --loss-scale=dynamic --scale-init=1024
// RUN: %compare -- --loss-scale=dynamic --scale-scope=per_loss --scale-interval=2
// RUN: %compare -- --loss-scale=deepspeed --scale-scope=per_loss --scale-interval=1 --scale-divide-by-next=true
// RUN: %compare -- --loss-scale=megatron --scale-interval=1 --scale-ceiling=8589934592
// RUN: %compare --rounded --rtol=0.05 --atol=0.02 -- --precision=fp16 --loss-scale=apex-hysteresis --scale-init=256 --scale-scope=per_loss
func.func @two(
    %x: tensor<33x17xf32> {graph.input = "x"},
    %target: tensor<33x5xf32> {graph.input = "target"},
    %w: tensor<17x5xf32> {graph.parameter = "w", graph.init = #graph.normal<0.0, 0.1>},
    %b: tensor<5xf32> {graph.parameter = "b", graph.init = #graph.zeros})
    -> (tensor<f32> {graph.loss = "fit"}, tensor<f32> {graph.loss = "size"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1, momentum = 0.9>>} {
  %0 = graph.matmul %x, %w : (tensor<33x17xf32>, tensor<17x5xf32>) -> tensor<33x5xf32>
  %1 = graph.add %0, %b : (tensor<33x5xf32>, tensor<5xf32>) -> tensor<33x5xf32>
  %fit = graph.mse %1, %target : (tensor<33x5xf32>, tensor<33x5xf32>) -> tensor<f32>
  %2 = graph.mul %w, %w : (tensor<17x5xf32>, tensor<17x5xf32>) -> tensor<17x5xf32>
  %size = graph.mean %2 dims = [0, 1] : (tensor<17x5xf32>) -> tensor<f32>
  return %fit, %size : tensor<f32>, tensor<f32>
}
