// The same as gelu-mlp.mlir on [batch, time, width]: gradients of biases are sums
// over two dims, one of them of what gelu's derivative was applied to.
// RUN: %cuda-steps %s compare=1e-5 repeat -- --precision=fp32 --loss-scale=none
// RUN: %cuda-steps %s compare=2e-3 skip repeat
// RUN: %cuda-steps %s compare=1.6e-2 repeat -- --precision=bf16
// RUN: %cuda-steps %s plain compare=1e-5 stream repeat -- --precision=fp32 --loss-scale=none
// RUN: %cuda-steps %s plain compare=1.6e-2 repeat -- --precision=bf16
// RUN: %cuda-steps %s plain compare=1e-5 -- --precision=fp32 --loss-scale=none --rounding=strict

// Kernels make the sums: of the logits' gradient in parts beside its rows, of the
// derivative behind its product. No product makes them besides.
// RUN: mpc-opt %s --compile-to=exec --target=cuda --precision=bf16 --loss-scale=none --reduce=none | FileCheck %s
// CHECK: exec.entry @step
// CHECK: exec.launch @{{.*}} outs({{.*}}%[[PARTS:[0-9]+]] : {{.*}}, memref<8x10xf32>)
// CHECK: exec.launch @{{.*}} ins(%[[PARTS]] : memref<8x10xf32>) outs(%[[B2:.*]] : memref<10xbf16>)
// CHECK: exec.call #exec.matmul ins({{.*}}) outs(result %[[W2:.*]] : memref<96x10xbf16>){{$}}
// CHECK: exec.call #exec.matmul<epilogue = gelu_tanh, derivative = true> ins({{.*}}) outs(result %[[D:.*]] : memref<4x16x96xbf16>) tail
// CHECK: exec.launch @{{.*}} ins(%[[D]] : memref<4x16x96xbf16>) outs(%[[B1:.*]] : memref<96xbf16>)
// CHECK: exec.call #exec.matmul ins({{.*}}) outs(result %[[W1:.*]] : memref<64x96xbf16>){{$}}
// CHECK: exec.multi_tensor unscale_l2norm ins(%[[W1]], %[[B1]], %[[W2]], %[[B2]] :
func.func @gelu_rows(
    %x: tensor<64x64xf32>   {graph.input = "x"},
    %label: tensor<64xi32>  {graph.input = "label"},
    %w1: tensor<64x96xf32>  {graph.parameter = "w1", graph.init = #graph.normal<0.0, 0.17>},
    %b1: tensor<96xf32>     {graph.parameter = "b1", graph.init = #graph.normal<0.0, 0.1>},
    %w2: tensor<96x10xf32>  {graph.parameter = "w2", graph.init = #graph.normal<0.0, 0.12>},
    %b2: tensor<10xf32>     {graph.parameter = "b2", graph.init = #graph.normal<0.0, 0.1>})
    -> (tensor<f32> {graph.loss}, tensor<4x16x10xf32> {graph.output = "logits"})
    attributes {graph.training = #graph.training<
      precision = "fp16",
      loss_scale = #graph.loss_scale<mode = "dynamic", init = 1024.0, interval = 4>,
      optimizer = #graph.optimizer<name = "adamw", lr = 0.001, weight_decay = 0.5>>} {
  %rows = graph.reshape %x : (tensor<64x64xf32>) -> tensor<4x16x64xf32>
  %labels = graph.reshape %label : (tensor<64xi32>) -> tensor<4x16xi32>
  %0 = graph.matmul %rows, %w1 : (tensor<4x16x64xf32>, tensor<64x96xf32>) -> tensor<4x16x96xf32>
  %1 = graph.add %0, %b1 : (tensor<4x16x96xf32>, tensor<96xf32>) -> tensor<4x16x96xf32>
  %2 = graph.gelu %1 kind = <tanh> : tensor<4x16x96xf32>
  %3 = graph.matmul %2, %w2 : (tensor<4x16x96xf32>, tensor<96x10xf32>) -> tensor<4x16x10xf32>
  %4 = graph.add %3, %b2 : (tensor<4x16x10xf32>, tensor<10xf32>) -> tensor<4x16x10xf32>
  %loss = graph.cross_entropy %4, %labels : (tensor<4x16x10xf32>, tensor<4x16xi32>) -> tensor<f32>
  return %loss, %4 : tensor<f32>, tensor<4x16x10xf32>
}
