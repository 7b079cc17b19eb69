// A16: a recurrent cell, unrolled over three steps. Its states are 16 bits, and
// the gradients of its f32 weights are, bit for bit, those of the cell whose
// casts stand there by hand.
// RUN: sed -e 's/[/][/]AUTO//' %s | mpc-opt --mpc-autocast="mode=torch precision=fp16" --mpc-verify-autocast --mpc-differentiate -o %t.auto.mlir
// RUN: sed -e 's/[/][/]HAND//' %s | mpc-opt --mpc-differentiate -o %t.hand.mlir
// RUN: graph-eval %t.auto.mlir --function=cell_step --rounded --compare=%t.hand.mlir --rtol=0 --atol=0
// RUN: FileCheck %s --input-file=%t.auto.mlir
// CHECK-LABEL: func.func @cell(
// CHECK-COUNT-3: graph.tanh %{{.*}} : tensor<4x8xf16>
func.func @cell(%x: tensor<3x4x8xf32> {graph.input = "x"}, %w32: tensor<8x8xf32> {graph.parameter = "w"},
    %u32: tensor<8x8xf32> {graph.parameter = "u"}) -> (tensor<f32> {graph.loss}, tensor<4x8xf32> {graph.output = "h"}) {
  %zeros = graph.constant dense<0.0> : tensor<4x8xf32>
  %x0 = graph.slice %x offsets = [0, 0, 0] sizes = [1, 4, 8] : (tensor<3x4x8xf32>) -> tensor<1x4x8xf32>
  %x1 = graph.slice %x offsets = [1, 0, 0] sizes = [1, 4, 8] : (tensor<3x4x8xf32>) -> tensor<1x4x8xf32>
  %x2 = graph.slice %x offsets = [2, 0, 0] sizes = [1, 4, 8] : (tensor<3x4x8xf32>) -> tensor<1x4x8xf32>
  %i0 = graph.reshape %x0 : (tensor<1x4x8xf32>) -> tensor<4x8xf32>
  %i1 = graph.reshape %x1 : (tensor<1x4x8xf32>) -> tensor<4x8xf32>
  %i2 = graph.reshape %x2 : (tensor<1x4x8xf32>) -> tensor<4x8xf32>
  //AUTO%a0 = graph.matmul %i0, %w32 : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  //AUTO%h0 = graph.tanh %a0 : tensor<4x8xf32>
  //AUTO%a1 = graph.matmul %i1, %w32 : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  //AUTO%b1 = graph.matmul %h0, %u32 : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  //AUTO%s1 = graph.add %a1, %b1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  //AUTO%h1 = graph.tanh %s1 : tensor<4x8xf32>
  //AUTO%a2 = graph.matmul %i2, %w32 : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  //AUTO%b2 = graph.matmul %h1, %u32 : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  //AUTO%s2 = graph.add %a2, %b2 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  //AUTO%out = graph.tanh %s2 : tensor<4x8xf32>
  //HAND%w = graph.cast %w32 : (tensor<8x8xf32>) -> tensor<8x8xf16>
  //HAND%u = graph.cast %u32 : (tensor<8x8xf32>) -> tensor<8x8xf16>
  //HAND%n0 = graph.cast %i0 : (tensor<4x8xf32>) -> tensor<4x8xf16>
  //HAND%a0 = graph.matmul %n0, %w : (tensor<4x8xf16>, tensor<8x8xf16>) -> tensor<4x8xf16>
  //HAND%h0 = graph.tanh %a0 : tensor<4x8xf16>
  //HAND%n1 = graph.cast %i1 : (tensor<4x8xf32>) -> tensor<4x8xf16>
  //HAND%a1 = graph.matmul %n1, %w : (tensor<4x8xf16>, tensor<8x8xf16>) -> tensor<4x8xf16>
  //HAND%b1 = graph.matmul %h0, %u : (tensor<4x8xf16>, tensor<8x8xf16>) -> tensor<4x8xf16>
  //HAND%s1 = graph.add %a1, %b1 : (tensor<4x8xf16>, tensor<4x8xf16>) -> tensor<4x8xf16>
  //HAND%h1 = graph.tanh %s1 : tensor<4x8xf16>
  //HAND%n2 = graph.cast %i2 : (tensor<4x8xf32>) -> tensor<4x8xf16>
  //HAND%a2 = graph.matmul %n2, %w : (tensor<4x8xf16>, tensor<8x8xf16>) -> tensor<4x8xf16>
  //HAND%b2 = graph.matmul %h1, %u : (tensor<4x8xf16>, tensor<8x8xf16>) -> tensor<4x8xf16>
  //HAND%s2 = graph.add %a2, %b2 : (tensor<4x8xf16>, tensor<4x8xf16>) -> tensor<4x8xf16>
  //HAND%h2 = graph.tanh %s2 : tensor<4x8xf16>
  //HAND%out = graph.cast %h2 : (tensor<4x8xf16>) -> tensor<4x8xf32>
  %loss = graph.mse %out, %zeros : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<f32>
  return %loss, %out : tensor<f32>, tensor<4x8xf32>
}
