// Convolutions by cuDNN, forward and backward: of one channel with a stride, in
// groups, depthwise with uneven zeros and channels last behind a transpose, to f32
// whatever it reads, transposed, and of one dim; and a product, of 1 x 1.
// RUN: %cuda-steps %s compare=1e-4 repeat stream
// RUN: %cuda-steps %s compare=4e-3 -- --precision=fp16 --loss-scale=1024
// RUN: %cuda-steps %s compare=4e-2 -- --precision=bf16
// RUN: %cuda-steps %s compare=4e-2 -- --precision=bf16 --rounding=strict

// No copy of a tensor goes before a convolution; 16 bits are widened where f32
// is wanted of them, and nowhere else.
// RUN: mpc-opt %s --compile-to=exec --target=cuda --precision=bf16 -o %t.exec.mlir
// RUN: emulate-cuda %t.exec.mlir %t.mpcx
// RUN: env MPC_CUDA_PLUGIN=%build/lib/EmulatedCuda.so mpc-run train %t.mpcx --input x=%src/examples/digits/data/train-images.npy --input label=%src/examples/digits/data/train-labels.npy --steps 2 --verbose 2>&1 | FileCheck %s
// CHECK-DAG: bf16 convolution [4, 1, 8, 8] by [8, 1, 3, 3]: cuDNN, with 256 bytes of workspace
// CHECK-DAG: bf16 convolution [4, 8, 4, 4] by [8, 4, 3, 2], for its weight: cuDNN,
// CHECK-DAG: f32 convolution [4, 8, 4, 4] by [6, 8, 3, 3]: cuDNN,
// CHECK-DAG: bf16 convolution [4, 3, 8, 8] by [6, 3, 3, 3], for its input: cuDNN,
// CHECK-DAG: bf16 convolution [4, 3, 64] by [3, 3, 5], for its weight: cuDNN,
func.func @convolution(
    %x: tensor<4x64xf32>    {graph.input = "x"},
    %label: tensor<4xi32>   {graph.input = "label"},
    %w1: tensor<8x1x3x3xf32> {graph.parameter = "w1", graph.init = #graph.normal<0.0, 0.3>},
    %b1: tensor<8xf32> {graph.parameter = "b1", graph.init = #graph.fill<0.1>},
    %w2: tensor<8x4x3x2xf32> {graph.parameter = "w2", graph.init = #graph.normal<0.0, 0.2>},
    %w3: tensor<8x3x3x1xf32> {graph.parameter = "w3", graph.init = #graph.normal<0.0, 0.3>},
    %w4: tensor<6x8x3x3xf32> {graph.parameter = "w4", graph.init = #graph.normal<0.0, 0.1>},
    %w8: tensor<8x8x1x1xf32> {graph.parameter = "w8", graph.init = #graph.normal<0.0, 0.3>},
    %w5: tensor<6x3x3x3xf32> {graph.parameter = "w5", graph.init = #graph.normal<0.0, 0.3>},
    %w6: tensor<3x3x5xf32> {graph.parameter = "w6", graph.init = #graph.normal<0.0, 0.3>},
    %w7: tensor<192x10xf32> {graph.parameter = "w7", graph.init = #graph.normal<0.0, 0.1>})
    -> (tensor<f32> {graph.loss}, tensor<4x10xf32> {graph.output = "logits"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.05>>} {
  %image = graph.reshape %x : (tensor<4x64xf32>) -> tensor<4x1x8x8xf32>
  %0 = graph.convolution %image, %w1 strides = [2, 2] low = [1, 1] high = [1, 1] : (tensor<4x1x8x8xf32>, tensor<8x1x3x3xf32>) -> tensor<4x8x4x4xf32>
  %bias = graph.reshape %b1 : (tensor<8xf32>) -> tensor<8x1x1xf32>
  %1 = graph.add %0, %bias : (tensor<4x8x4x4xf32>, tensor<8x1x1xf32>) -> tensor<4x8x4x4xf32>
  %2 = graph.tanh %1 : tensor<4x8x4x4xf32>
  %3 = graph.convolution %2, %w2 same groups = 2 : (tensor<4x8x4x4xf32>, tensor<8x4x3x2xf32>) -> tensor<4x8x4x4xf32>
  %4 = graph.transpose %3 permutation = [0, 2, 3, 1] : (tensor<4x8x4x4xf32>) -> tensor<4x4x4x8xf32>
  %5 = graph.convolution %4, %w3 low = [3, 0] high = [1, 2] dilations = [2, 1] groups = 8 channels_last : (tensor<4x4x4x8xf32>, tensor<8x3x3x1xf32>) -> tensor<4x4x4x8xf32>
  %6 = graph.tanh %5 : tensor<4x4x4x8xf32>
  %7 = graph.transpose %6 permutation = [0, 3, 1, 2] : (tensor<4x4x4x8xf32>) -> tensor<4x8x4x4xf32>
  %point = graph.convolution %7, %w8 : (tensor<4x8x4x4xf32>, tensor<8x8x1x1xf32>) -> tensor<4x8x4x4xf32>
  %8 = graph.convolution %point, %w4 same dtype = f32 : (tensor<4x8x4x4xf32>, tensor<6x8x3x3xf32>) -> tensor<4x6x4x4xf32>
  %9 = graph.transposed_convolution %8, %w5 sizes = [8, 8] strides = [2, 2] low = [1, 1] high = [1, 1] : (tensor<4x6x4x4xf32>, tensor<6x3x3x3xf32>) -> tensor<4x3x8x8xf32>
  %10 = graph.reshape %9 : (tensor<4x3x8x8xf32>) -> tensor<4x3x64xf32>
  %11 = graph.convolution %10, %w6 same : (tensor<4x3x64xf32>, tensor<3x3x5xf32>) -> tensor<4x3x64xf32>
  %rows = graph.reshape %11 : (tensor<4x3x64xf32>) -> tensor<4x192xf32>
  %logits = graph.matmul %rows, %w7 : (tensor<4x192xf32>, tensor<192x10xf32>) -> tensor<4x10xf32>
  %loss = graph.cross_entropy %logits, %label : (tensor<4x10xf32>, tensor<4xi32>) -> tensor<f32>
  return %loss, %logits : tensor<f32>, tensor<4x10xf32>
}
