// What the backward computes again is called so, by the op that makes it.
// RUN: mpc-opt %s --compile-to=exec --precision=fp32 -o %t.mlir --mlir-print-debuginfo
// RUN: mpc-opt %t.mlir --mpc-print-memory=peak=true -o /dev/null 2>&1 | FileCheck %s
// CHECK: live at the peak of step:
// CHECK: 64x256xf32 {{ *}}recomputed exp at print-peak-recomputed.mlir:[[# @LINE + 8]]{{$}}
func.func @model(%x: tensor<64x8xf32> {graph.input = "x"}, %t: tensor<64x8xf32> {graph.input = "t"},
                 %up: tensor<8x256xf32> {graph.parameter = "up", graph.init = #graph.zeros},
                 %down: tensor<256x8xf32> {graph.parameter = "down", graph.init = #graph.zeros},
                 %last: tensor<8x8xf32> {graph.parameter = "last", graph.init = #graph.zeros}) -> (tensor<f32> {graph.loss})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} {
  %y = graph.autocast_region <name = "block", recompute = true> -> tensor<64x8xf32> {
    %0 = graph.matmul %x, %up : (tensor<64x8xf32>, tensor<8x256xf32>) -> tensor<64x256xf32>
    %1 = graph.exp %0 : tensor<64x256xf32>
    %2 = graph.matmul %1, %down : (tensor<64x256xf32>, tensor<256x8xf32>) -> tensor<64x8xf32>
    graph.yield %2 : tensor<64x8xf32>
  }
  %z = graph.matmul %y, %last : (tensor<64x8xf32>, tensor<8x8xf32>) -> tensor<64x8xf32>
  %loss = graph.mse %z, %t : (tensor<64x8xf32>, tensor<64x8xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
