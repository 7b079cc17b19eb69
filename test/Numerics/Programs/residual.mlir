// A residual stream, which products add to as their C operand: in front of a norm, behind a reshape, and the gradient of what two products read.
// Numbers are up to 10, where bf16 has a digit of 1/16: it is rounded once where the reference rounds after each op, so two digits may lie between.
// RUN: %compare
// RUN: %compare --error-rule --steps=1 -- --precision=fp16 --loss-scale=none
// RUN: %compare --error-rule --steps=1 -- --precision=bf16 --loss-scale=none
// RUN: %compare --error-rule --steps=1 -- --precision=bf16 --rounding=strict --loss-scale=none

// Two sums of the forward, which the backward reads too, and one of the backward, which takes the place of what it adds to; none with strict rounding.
// RUN: mpc-opt %s --compile-to=exec --precision=fp16 --loss-scale=none --target=cuda | FileCheck %s
// RUN: mpc-opt %s --compile-to=exec --precision=bf16 --loss-scale=none --target=cuda | FileCheck %s
// CHECK: exec.entry @step
// CHECK-COUNT-3: exec.call #exec.matmul{{.*}} addend
// CHECK-NOT: addend
// RUN: mpc-opt %s --compile-to=exec --precision=fp16 --loss-scale=none --target=cuda --rounding=strict | FileCheck %s --check-prefix=STRICT
// STRICT-NOT: addend
func.func @residual(
    %x: tensor<2x5x12xf32> {graph.input = "x"},
    %t: tensor<2x5x16xf32> {graph.input = "t"},
    %w0: tensor<12x16xf32> {graph.parameter = "w0", graph.init = #graph.normal<0.0, 0.3>},
    %w1: tensor<16x16xf32> {graph.parameter = "w1", graph.init = #graph.normal<0.0, 0.2>},
    %b1: tensor<16xf32> {graph.parameter = "b1", graph.init = #graph.normal<0.0, 0.2>},
    %g: tensor<16xf32> {graph.parameter = "g", graph.init = #graph.fill<1.0>},
    %w2: tensor<16x24xf32> {graph.parameter = "w2", graph.init = #graph.normal<0.0, 0.2>},
    %w3: tensor<16x24xf32> {graph.parameter = "w3", graph.init = #graph.normal<0.0, 0.2>},
    %w4: tensor<24x16xf32> {graph.parameter = "w4", graph.init = #graph.normal<0.0, 0.2>},
    %w5: tensor<16x16xf32> {graph.parameter = "w5", graph.init = #graph.normal<0.0, 0.2>})
    -> (tensor<f32> {graph.loss}, tensor<2x5x16xf32> {graph.output = "y"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} {
  %h0 = graph.matmul %x, %w0 : (tensor<2x5x12xf32>, tensor<12x16xf32>) -> tensor<2x5x16xf32>
  %n1 = graph.rms_norm %h0 weight %g first_dim = 2 : (tensor<2x5x16xf32>, tensor<16xf32>) -> tensor<2x5x16xf32>
  %p1 = graph.matmul %n1, %w1 : (tensor<2x5x16xf32>, tensor<16x16xf32>) -> tensor<2x5x16xf32>
  %a1 = graph.add %p1, %b1 : (tensor<2x5x16xf32>, tensor<16xf32>) -> tensor<2x5x16xf32>
  %h1 = graph.add %h0, %a1 : (tensor<2x5x16xf32>, tensor<2x5x16xf32>) -> tensor<2x5x16xf32>
  %n2 = graph.rms_norm %h1 weight %g first_dim = 2 : (tensor<2x5x16xf32>, tensor<16xf32>) -> tensor<2x5x16xf32>
  %u = graph.matmul %n2, %w2 : (tensor<2x5x16xf32>, tensor<16x24xf32>) -> tensor<2x5x24xf32>
  %v = graph.matmul %n2, %w3 : (tensor<2x5x16xf32>, tensor<16x24xf32>) -> tensor<2x5x24xf32>
  %s = graph.silu %u : tensor<2x5x24xf32>
  %m = graph.mul %s, %v : (tensor<2x5x24xf32>, tensor<2x5x24xf32>) -> tensor<2x5x24xf32>
  %p2 = graph.matmul %m, %w4 : (tensor<2x5x24xf32>, tensor<24x16xf32>) -> tensor<2x5x16xf32>
  %h2 = graph.add %h1, %p2 : (tensor<2x5x16xf32>, tensor<2x5x16xf32>) -> tensor<2x5x16xf32>
  %n3 = graph.rms_norm %h2 weight %g first_dim = 2 : (tensor<2x5x16xf32>, tensor<16xf32>) -> tensor<2x5x16xf32>
  %r3 = graph.reshape %n3 : (tensor<2x5x16xf32>) -> tensor<10x16xf32>
  %p3 = graph.matmul %r3, %w5 : (tensor<10x16xf32>, tensor<16x16xf32>) -> tensor<10x16xf32>
  %q3 = graph.reshape %p3 : (tensor<10x16xf32>) -> tensor<2x5x16xf32>
  %h3 = graph.add %q3, %h2 : (tensor<2x5x16xf32>, tensor<2x5x16xf32>) -> tensor<2x5x16xf32>
  %loss = graph.mse %h3, %t : (tensor<2x5x16xf32>, tensor<2x5x16xf32>) -> tensor<f32>
  return %loss, %h3 : tensor<f32>, tensor<2x5x16xf32>
}
