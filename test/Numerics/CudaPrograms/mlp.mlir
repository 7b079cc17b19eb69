// Differences are those of the order of sums in products, and, in 16 bits, of
// roundings that this tips over.
// RUN: %cuda-steps %s compare=1e-5 repeat -- --precision=fp32 --loss-scale=none
// RUN: %cuda-steps %s compare=1e-3 skip repeat
// RUN: %cuda-steps %s compare=1e-3 skip -- --rounding=strict
// RUN: %cuda-steps %s compare=8e-3 repeat -- --precision=bf16
func.func @mlp(
    %x: tensor<64x64xf32>   {graph.input = "x"},
    %label: tensor<64xi32>  {graph.input = "label"},
    %w1: tensor<64x128xf32> {graph.parameter = "w1", graph.init = #graph.normal<0.0, 0.17>},
    %w2: tensor<128x10xf32> {graph.parameter = "w2", graph.init = #graph.normal<0.0, 0.12>})
    -> (tensor<f32> {graph.loss}, tensor<64x10xf32> {graph.output = "logits"})
    attributes {graph.training = #graph.training<
      precision = "fp16",
      loss_scale = #graph.loss_scale<mode = "dynamic", init = 65536.0, interval = 4>,
      optimizer = #graph.optimizer<name = "adamw", lr = 0.001, weight_decay = 0.5>>} {
  %0 = graph.matmul %x, %w1 : (tensor<64x64xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  %1 = graph.relu %0 : tensor<64x128xf32>
  %2 = graph.matmul %1, %w2 : (tensor<64x128xf32>, tensor<128x10xf32>) -> tensor<64x10xf32>
  %loss = graph.cross_entropy %2, %label : (tensor<64x10xf32>, tensor<64xi32>) -> tensor<f32>
  return %loss, %2 : tensor<f32>, tensor<64x10xf32>
}
