// The gradients of query, key and value, slices of one product, are written side
// by side by one call: by the kernels of the runtime, and by cuDNN.
// RUN: %cuda-steps %s compare=1e-5 -- --precision=fp32 --loss-scale=none
// RUN: %cuda-steps %s compare=4e-3
// RUN: %cuda-steps %s cudnn compare=4e-3 stream
// RUN: %cuda-steps %s cudnn compare=2e-2 -- --precision=bf16 --loss-scale=none

// RUN: mpc-opt %s --compile-to=exec --target=cuda | FileCheck %s
// RUN: mpc-opt %s --compile-to=exec --target=cpu | FileCheck %s
// CHECK-LABEL: exec.entry @step
// CHECK: outs(query_gradient %{{.*}} : memref<2x8x2x64xf16, strided<[3072, 384, 64, 1]>>, key_gradient %{{.*}} : memref<2x8x2x64xf16, strided<[3072, 384, 64, 1], offset: 128>>, value_gradient %{{.*}} : memref<2x8x2x64xf16, strided<[3072, 384, 64, 1], offset: 256>>)
// CHECK-NOT: value_gradient
func.func @attention(
    %x: tensor<2x64xf32>    {graph.input = "x"},
    %label: tensor<2xi32>   {graph.input = "label"},
    %w: tensor<8x384xf32>   {graph.parameter = "w", graph.init = #graph.normal<0.0, 0.1>},
    %b: tensor<384xf32>     {graph.parameter = "b", graph.init = #graph.normal<0.0, 0.1>},
    %wo: tensor<1024x10xf32> {graph.parameter = "wo", graph.init = #graph.normal<0.0, 0.05>})
    -> (tensor<f32> {graph.loss}, tensor<2x10xf32> {graph.output = "logits"})
    attributes {graph.training = #graph.training<
      precision = "fp16",
      loss_scale = #graph.loss_scale<mode = "dynamic", init = 1024.0, interval = 4>,
      optimizer = #graph.optimizer<name = "sgd", lr = 0.05>>} {
  %rows = graph.reshape %x : (tensor<2x64xf32>) -> tensor<2x8x8xf32>
  %p0 = graph.matmul %rows, %w : (tensor<2x8x8xf32>, tensor<8x384xf32>) -> tensor<2x8x384xf32>
  %p = graph.add %p0, %b : (tensor<2x8x384xf32>, tensor<384xf32>) -> tensor<2x8x384xf32>
  %q0 = graph.slice %p offsets = [0, 0, 0] sizes = [2, 8, 128] : (tensor<2x8x384xf32>) -> tensor<2x8x128xf32>
  %k0 = graph.slice %p offsets = [0, 0, 128] sizes = [2, 8, 128] : (tensor<2x8x384xf32>) -> tensor<2x8x128xf32>
  %v0 = graph.slice %p offsets = [0, 0, 256] sizes = [2, 8, 128] : (tensor<2x8x384xf32>) -> tensor<2x8x128xf32>
  %q = graph.reshape %q0 : (tensor<2x8x128xf32>) -> tensor<2x8x2x64xf32>
  %k = graph.reshape %k0 : (tensor<2x8x128xf32>) -> tensor<2x8x2x64xf32>
  %v = graph.reshape %v0 : (tensor<2x8x128xf32>) -> tensor<2x8x2x64xf32>
  %a, %lse = graph.scaled_dot_product_attention %q, %k, %v causal : (tensor<2x8x2x64xf32>, tensor<2x8x2x64xf32>, tensor<2x8x2x64xf32>) -> (tensor<2x8x2x64xf32>, tensor<2x2x8xf32>)
  %flat = graph.reshape %a : (tensor<2x8x2x64xf32>) -> tensor<2x1024xf32>
  %logits = graph.matmul %flat, %wo : (tensor<2x1024xf32>, tensor<1024x10xf32>) -> tensor<2x10xf32>
  %loss = graph.cross_entropy %logits, %label : (tensor<2x10xf32>, tensor<2xi32>) -> tensor<f32>
  return %loss, %logits : tensor<f32>, tensor<2x10xf32>
}
