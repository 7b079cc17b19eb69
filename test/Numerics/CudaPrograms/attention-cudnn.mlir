// Attention by cuDNN, forward and backward: causal heads out of one packed
// projection, then grouped heads in a window, whose log-sum-exp is used too.
// RUN: %cuda-steps %s cudnn compare=4e-3 stream
// RUN: %cuda-steps %s cudnn compare=2e-2 -- --precision=bf16 --loss-scale=none

// cuDNN is what ran: the options say which of the two makes a call, and the log
// says why. By chance it adds in one order here.
// RUN: mpc-opt %s --compile-to=exec --target=cuda -o %t.exec.mlir
// RUN: emulate-cuda %t.exec.mlir %t.mpcx
// DEFINE: %{train} = mpc-run train %t.mpcx --input x=%src/examples/digits/data/train-images.npy --input label=%src/examples/digits/data/train-labels.npy --steps 2 --verbose
// DEFINE: %{emulated} = env MPC_EMULATED_CUDNN=1 MPC_CUDA_PLUGIN=%build/lib/EmulatedCuda.so
// RUN: %{emulated} %{train} 2>&1 | FileCheck %s --check-prefix=CUDNN
// RUN: %{emulated} %{train} --own-attention 2>&1 | FileCheck %s --check-prefix=OWN
// CUDNN-DAG: f16 attention [2, 8, 2, 8] by 2 heads of 8 keys, causal, forward: cuDNN, with 256 bytes of workspace
// CUDNN-DAG: f16 attention [2, 8, 2, 8] by 2 heads of 8 keys, causal, backward: cuDNN,
// CUDNN-DAG: f16 attention [2, 8, 2, 16] by 1 heads of 8 keys, causal, window 5, backward: cuDNN,
// OWN-COUNT-4: kernels of mpc's own, not cuDNN: own_attention is given
func.func @attention(
    %x: tensor<2x64xf32>    {graph.input = "x"},
    %label: tensor<2xi32>   {graph.input = "label"},
    %w1: tensor<8x48xf32>   {graph.parameter = "w1", graph.init = #graph.normal<0.0, 0.3>},
    %wq: tensor<16x32xf32>  {graph.parameter = "wq", graph.init = #graph.normal<0.0, 0.2>},
    %wk: tensor<16x16xf32>  {graph.parameter = "wk", graph.init = #graph.normal<0.0, 0.2>},
    %wv: tensor<16x8xf32>   {graph.parameter = "wv", graph.init = #graph.normal<0.0, 0.2>},
    %wo: tensor<128x10xf32> {graph.parameter = "wo", graph.init = #graph.normal<0.0, 0.1>})
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
  %a, %lse_0 = graph.scaled_dot_product_attention %q, %k, %v causal : (tensor<2x8x2x8xf32>, tensor<2x8x2x8xf32>, tensor<2x8x2x8xf32>) -> (tensor<2x8x2x8xf32>, tensor<2x2x8xf32>)
  %h = graph.reshape %a : (tensor<2x8x2x8xf32>) -> tensor<2x8x16xf32>

  %gq0 = graph.matmul %h, %wq : (tensor<2x8x16xf32>, tensor<16x32xf32>) -> tensor<2x8x32xf32>
  %gk0 = graph.matmul %h, %wk : (tensor<2x8x16xf32>, tensor<16x16xf32>) -> tensor<2x8x16xf32>
  %gv0 = graph.matmul %h, %wv : (tensor<2x8x16xf32>, tensor<16x8xf32>) -> tensor<2x8x8xf32>
  %gq = graph.reshape %gq0 : (tensor<2x8x32xf32>) -> tensor<2x8x2x16xf32>
  %gk = graph.reshape %gk0 : (tensor<2x8x16xf32>) -> tensor<2x8x1x16xf32>
  %gv = graph.reshape %gv0 : (tensor<2x8x8xf32>) -> tensor<2x8x1x8xf32>
  %g, %lse = graph.scaled_dot_product_attention %gq, %gk, %gv causal window = 5 scale = 0.4 : (tensor<2x8x2x16xf32>, tensor<2x8x1x16xf32>, tensor<2x8x1x8xf32>) -> (tensor<2x8x2x8xf32>, tensor<2x2x8xf32>)
  %flat = graph.reshape %g : (tensor<2x8x2x8xf32>) -> tensor<2x128xf32>
  %logits = graph.matmul %flat, %wo : (tensor<2x128xf32>, tensor<128x10xf32>) -> tensor<2x10xf32>
  %loss = graph.cross_entropy %logits, %label : (tensor<2x10xf32>, tensor<2xi32>) -> tensor<f32>
  return %loss, %logits, %lse : tensor<f32>, tensor<2x10xf32>, tensor<2x2x8xf32>
}
