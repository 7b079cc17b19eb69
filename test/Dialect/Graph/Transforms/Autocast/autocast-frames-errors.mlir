// RUN: mpc-opt %s --split-input-file --verify-diagnostics --mpc-autocast=precision=fp16

func.func @region(%x: tensor<8xf32> {graph.input = "x"}) -> tensor<8xf32> {
  // expected-error @below {{expected to be inlined before autocast; run mpc-inline-regions}}
  %0 = graph.autocast_region <> -> tensor<8xf32> {
    graph.yield %x : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

func.func private @call(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
func.func @model(%x: tensor<8xf32> {graph.input = "x"}) -> tensor<8xf32> {
  // expected-error @below {{expected to be inlined before autocast; run mpc-inline-regions}}
  %0 = graph.custom @call(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
