// RUN: mpc-opt %s --split-input-file --verify-diagnostics --mpc-group

func.func @region(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-error @below {{'graph.autocast_region' op expected to be inlined before grouping; run mpc-inline-regions}}
  %1 = graph.autocast_region <name = "head", enabled = false> -> tensor<8x8xf32> {
    %2 = graph.matmul %0, %0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    graph.yield %2 : tensor<8x8xf32>
  }
  return %1 : tensor<8x8xf32>
}
