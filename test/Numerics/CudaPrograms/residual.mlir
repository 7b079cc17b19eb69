// A residual stream as cuBLASLt's C operand, with a bias beside it or without, in place or not, behind a reshape; and where cuBLASLt has no algorithm for a
// bias beside C, by a kernel after the product and C.
// RUN: %cuda-steps %s compare=1e-5 repeat -- --precision=fp32 --loss-scale=none
// f16: the processor rounds the product and then the sum, cuBLASLt the sum alone. So twice the bound of one rounding.
// RUN: %cuda-steps %s compare=4e-3 skip repeat
// RUN: %cuda-steps %s compare=1.6e-2 repeat -- --precision=bf16
// RUN: %cuda-steps %s plain compare=1e-5 stream repeat -- --precision=fp32 --loss-scale=none
// RUN: %cuda-steps %s plain compare=4e-3 skip stream
// RUN: %cuda-steps %s plain compare=1.6e-2 repeat -- --precision=bf16
// RUN: %cuda-steps %s plain compare=1e-5 -- --precision=fp32 --loss-scale=none --rounding=strict

// The tail of a product with bias and addend adds the bias alone, in place.
// RUN: mpc-opt %s --compile-to=exec --target=cuda --precision=bf16 --loss-scale=none --reduce=none | FileCheck %s
// CHECK: exec.entry @step
// CHECK: exec.call #exec.matmul ins({{.*}}, bias %{{[^,]*}}, addend %{{.*}}) outs(result %{{[^,]*}}) tail = @{{.*}} [4, 2, 4]
// CHECK: exec.call #exec.matmul ins(lhs %{{[^%]*}}, rhs %{{[^%]*}}, addend %{{.*}}) outs(result %{{[^,]*}}){{$}}
func.func @residual(
    %x: tensor<64x64xf32>   {graph.input = "x"},
    %label: tensor<64xi32>  {graph.input = "label"},
    %w0: tensor<64x48xf32>  {graph.parameter = "w0", graph.init = #graph.normal<0.0, 0.12>},
    %b0: tensor<48xf32>     {graph.parameter = "b0", graph.init = #graph.normal<0.0, 0.1>},
    %g: tensor<48xf32>      {graph.parameter = "g", graph.init = #graph.fill<1.0>},
    %w1: tensor<48x48xf32>  {graph.parameter = "w1", graph.init = #graph.normal<0.0, 0.1>},
    %b1: tensor<48xf32>     {graph.parameter = "b1", graph.init = #graph.normal<0.0, 0.1>},
    %w2: tensor<48x80xf32>  {graph.parameter = "w2", graph.init = #graph.normal<0.0, 0.1>},
    %w3: tensor<48x80xf32>  {graph.parameter = "w3", graph.init = #graph.normal<0.0, 0.1>},
    %w4: tensor<80x48xf32>  {graph.parameter = "w4", graph.init = #graph.normal<0.0, 0.1>},
    %w5: tensor<48x10xf32>  {graph.parameter = "w5", graph.init = #graph.normal<0.0, 0.12>})
    -> (tensor<f32> {graph.loss}, tensor<64x10xf32> {graph.output = "logits"})
    attributes {graph.training = #graph.training<
      precision = "fp16",
      loss_scale = #graph.loss_scale<mode = "dynamic", init = 1024.0, interval = 4>,
      optimizer = #graph.optimizer<name = "adamw", lr = 0.001, weight_decay = 0.5>>} {
  %p0 = graph.matmul %x, %w0 : (tensor<64x64xf32>, tensor<64x48xf32>) -> tensor<64x48xf32>
  %a0 = graph.add %p0, %b0 : (tensor<64x48xf32>, tensor<48xf32>) -> tensor<64x48xf32>
  %h0 = graph.reshape %a0 : (tensor<64x48xf32>) -> tensor<4x16x48xf32>
  %n1 = graph.rms_norm %h0 weight %g first_dim = 2 : (tensor<4x16x48xf32>, tensor<48xf32>) -> tensor<4x16x48xf32>
  %r1 = graph.reshape %n1 : (tensor<4x16x48xf32>) -> tensor<64x48xf32>
  %p1 = graph.matmul %r1, %w1 : (tensor<64x48xf32>, tensor<48x48xf32>) -> tensor<64x48xf32>
  %a1 = graph.add %p1, %b1 : (tensor<64x48xf32>, tensor<48xf32>) -> tensor<64x48xf32>
  %q1 = graph.reshape %a1 : (tensor<64x48xf32>) -> tensor<4x16x48xf32>
  %h1 = graph.add %h0, %q1 : (tensor<4x16x48xf32>, tensor<4x16x48xf32>) -> tensor<4x16x48xf32>
  %n2 = graph.rms_norm %h1 weight %g first_dim = 2 : (tensor<4x16x48xf32>, tensor<48xf32>) -> tensor<4x16x48xf32>
  %u = graph.matmul %n2, %w2 : (tensor<4x16x48xf32>, tensor<48x80xf32>) -> tensor<4x16x80xf32>
  %v = graph.matmul %n2, %w3 : (tensor<4x16x48xf32>, tensor<48x80xf32>) -> tensor<4x16x80xf32>
  %s = graph.silu %u : tensor<4x16x80xf32>
  %m = graph.mul %s, %v : (tensor<4x16x80xf32>, tensor<4x16x80xf32>) -> tensor<4x16x80xf32>
  %p2 = graph.matmul %m, %w4 : (tensor<4x16x80xf32>, tensor<80x48xf32>) -> tensor<4x16x48xf32>
  %h2 = graph.add %p2, %h1 : (tensor<4x16x48xf32>, tensor<4x16x48xf32>) -> tensor<4x16x48xf32>
  %n3 = graph.rms_norm %h2 weight %g first_dim = 2 : (tensor<4x16x48xf32>, tensor<48xf32>) -> tensor<4x16x48xf32>
  %r3 = graph.reshape %n3 : (tensor<4x16x48xf32>) -> tensor<64x48xf32>
  %logits = graph.matmul %r3, %w5 : (tensor<64x48xf32>, tensor<48x10xf32>) -> tensor<64x10xf32>
  %loss = graph.cross_entropy %logits, %label : (tensor<64x10xf32>, tensor<64xi32>) -> tensor<f32>
  return %loss, %logits : tensor<f32>, tensor<64x10xf32>
}
