// Attention by the kernels of the runtime: causal heads out of one packed
// projection, with dropout; then grouped heads in a window, bounded, with an
// additive mask, whose log-sum-exp is used too. By SGD: AdamW would make much of
// gradients that are noise.
// RUN: %cuda-steps %s compare=1e-5 stream -- --precision=fp32 --loss-scale=none
// RUN: %cuda-steps %s compare=4e-3
// RUN: %cuda-steps %s compare=2e-2 repeat -- --precision=bf16 --loss-scale=none
// RUN: %cuda-steps %s compare=1e-5 -- --precision=fp32 --loss-scale=none --rounding=strict

// Calls; no product of scores, and no scores in memory.
// RUN: mpc-opt %s --compile-to=exec --target=cuda | FileCheck %s --implicit-check-not='exec.alloc{{.*}}memref<2x2x8x8x'
// CHECK-COUNT-2: exec.call #exec.attention<{{.*}}causal = true
// CHECK-COUNT-2: exec.call #exec.attention<backward = true
func.func @attention(
    %x: tensor<2x64xf32>    {graph.input = "x"},
    %label: tensor<2xi32>   {graph.input = "label"},
    %w1: tensor<8x48xf32>   {graph.parameter = "w1", graph.init = #graph.normal<0.0, 0.3>},
    %wq: tensor<16x24xf32>  {graph.parameter = "wq", graph.init = #graph.normal<0.0, 0.2>},
    %wk: tensor<16x12xf32>  {graph.parameter = "wk", graph.init = #graph.normal<0.0, 0.2>},
    %wv: tensor<16x10xf32>  {graph.parameter = "wv", graph.init = #graph.normal<0.0, 0.2>},
    %wo: tensor<160x10xf32> {graph.parameter = "wo", graph.init = #graph.normal<0.0, 0.1>})
    -> (tensor<f32> {graph.loss}, tensor<2x10xf32> {graph.output = "logits"}, tensor<2x2x8xf32> {graph.output = "logsumexp"})
    attributes {graph.training = #graph.training<
      precision = "fp16",
      loss_scale = #graph.loss_scale<mode = "dynamic", init = 1024.0, interval = 4>,
      optimizer = #graph.optimizer<name = "sgd", lr = 0.05>>} {
  %rows = graph.reshape %x : (tensor<2x64xf32>) -> tensor<2x8x8xf32>
  %p0 = graph.matmul %rows, %w1 : (tensor<2x8x8xf32>, tensor<8x48xf32>) -> tensor<2x8x48xf32>
  %p = graph.reshape %p0 : (tensor<2x8x48xf32>) -> tensor<2x8x6x8xf32>
  %q = graph.slice %p offsets = [0, 0, 0, 0] sizes = [2, 8, 2, 8] : (tensor<2x8x6x8xf32>) -> tensor<2x8x2x8xf32>
  %k = graph.slice %p offsets = [0, 0, 2, 0] sizes = [2, 8, 2, 8] : (tensor<2x8x6x8xf32>) -> tensor<2x8x2x8xf32>
  %v = graph.slice %p offsets = [0, 0, 4, 0] sizes = [2, 8, 2, 8] : (tensor<2x8x6x8xf32>) -> tensor<2x8x2x8xf32>
  %a, %lse_0 = graph.scaled_dot_product_attention %q, %k, %v causal dropout = 0.2 : (tensor<2x8x2x8xf32>, tensor<2x8x2x8xf32>, tensor<2x8x2x8xf32>) -> (tensor<2x8x2x8xf32>, tensor<2x2x8xf32>)
  %h = graph.reshape %a : (tensor<2x8x2x8xf32>) -> tensor<2x8x16xf32>

  %mask = graph.reshape %x : (tensor<2x64xf32>) -> tensor<2x1x8x8xf32>
  %gq0 = graph.matmul %h, %wq : (tensor<2x8x16xf32>, tensor<16x24xf32>) -> tensor<2x8x24xf32>
  %gk0 = graph.matmul %h, %wk : (tensor<2x8x16xf32>, tensor<16x12xf32>) -> tensor<2x8x12xf32>
  %gv0 = graph.matmul %h, %wv : (tensor<2x8x16xf32>, tensor<16x10xf32>) -> tensor<2x8x10xf32>
  %gq = graph.reshape %gq0 : (tensor<2x8x24xf32>) -> tensor<2x8x2x12xf32>
  %gk = graph.reshape %gk0 : (tensor<2x8x12xf32>) -> tensor<2x8x1x12xf32>
  %gv = graph.reshape %gv0 : (tensor<2x8x10xf32>) -> tensor<2x8x1x10xf32>
  %g, %lse = graph.scaled_dot_product_attention %gq, %gk, %gv mask %mask causal window = 5 scale = 0.4 softcap = 3.0 : (tensor<2x8x2x12xf32>, tensor<2x8x1x12xf32>, tensor<2x8x1x10xf32>, tensor<2x1x8x8xf32>) -> (tensor<2x8x2x10xf32>, tensor<2x2x8xf32>)
  %flat = graph.reshape %g : (tensor<2x8x2x10xf32>) -> tensor<2x160xf32>
  %logits = graph.matmul %flat, %wo : (tensor<2x160xf32>, tensor<160x10xf32>) -> tensor<2x10xf32>
  %loss = graph.cross_entropy %logits, %label : (tensor<2x10xf32>, tensor<2xi32>) -> tensor<f32>
  return %loss, %logits, %lse : tensor<f32>, tensor<2x10xf32>, tensor<2x2x8xf32>
}
