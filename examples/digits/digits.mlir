// A classifier of handwritten digits: 8x8 grey images, batches of 64.
//
//   mpc-compile examples/digits/digits.mlir -o digits.mpcx --target=cpu --precision=fp16
//   mpc-run train digits.mpcx --epochs 40 --save weights.safetensors
//       --input x=examples/digits/data/train-images.npy
//       --input label=examples/digits/data/train-labels.npy
//
// The loss scale starts far too high for fp16, on purpose: the first steps
// overflow, are skipped, and halve the scale until the gradients fit. After 200
// good steps the scale is tried one step higher.
func.func @digits(
    %x: tensor<64x64xf32>      {graph.input = "x"},
    %label: tensor<64xi32>     {graph.input = "label"},
    %w1: tensor<64x128xf32>    {graph.parameter = "w1", graph.init = #graph.normal<0.0, 0.17>},
    %b1: tensor<128xf32>       {graph.parameter = "b1", graph.init = #graph.zeros},
    %scale: tensor<128xf32>    {graph.parameter = "norm.weight", graph.init = #graph.fill<1.0>},
    %shift: tensor<128xf32>    {graph.parameter = "norm.bias", graph.init = #graph.zeros},
    %w2: tensor<128x64xf32>    {graph.parameter = "w2", graph.init = #graph.normal<0.0, 0.12>},
    %b2: tensor<64xf32>        {graph.parameter = "b2", graph.init = #graph.zeros},
    %w3: tensor<64x10xf32>     {graph.parameter = "w3", graph.init = #graph.normal<0.0, 0.12>},
    %b3: tensor<10xf32>        {graph.parameter = "b3", graph.init = #graph.zeros})
    -> (tensor<f32> {graph.loss}, tensor<64x10xf32> {graph.output = "logits"})
    attributes {graph.training = #graph.training<
      precision = "fp16",
      loss_scale = #graph.loss_scale<mode = "dynamic", init = 16777216.0, interval = 200>,
      optimizer = #graph.optimizer<name = "adamw", lr = 0.001, weight_decay = 0.5>,
      clip = #graph.clip<norm = 1.0>>} {
  %0 = graph.matmul %x, %w1 : (tensor<64x64xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  %1 = graph.add %0, %b1 : (tensor<64x128xf32>, tensor<128xf32>) -> tensor<64x128xf32>
  %2 = graph.layer_norm %1 weight %scale bias %shift first_dim = 1 : (tensor<64x128xf32>, tensor<128xf32>, tensor<128xf32>) -> tensor<64x128xf32>
  %3 = graph.gelu %2 : tensor<64x128xf32>
  %4 = graph.matmul %3, %w2 : (tensor<64x128xf32>, tensor<128x64xf32>) -> tensor<64x64xf32>
  %5 = graph.add %4, %b2 : (tensor<64x64xf32>, tensor<64xf32>) -> tensor<64x64xf32>
  %6 = graph.relu %5 : tensor<64x64xf32>
  %7 = graph.matmul %6, %w3 : (tensor<64x64xf32>, tensor<64x10xf32>) -> tensor<64x10xf32>
  %logits = graph.add %7, %b3 : (tensor<64x10xf32>, tensor<10xf32>) -> tensor<64x10xf32>
  %loss = graph.cross_entropy %logits, %label : (tensor<64x10xf32>, tensor<64xi32>) -> tensor<f32>
  return %loss, %logits : tensor<f32>, tensor<64x10xf32>
}
