// RUN: mpc-opt %s --verify-diagnostics --mpc-inline-regions --mpc-autocast=precision=fp16 --mpc-inline-custom

func.func private @body(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = graph.autocast_region <dtype = bf16> -> tensor<8xf32> {
    // expected-error @below {{expected no autocast region that is on in the implementation of an op with a policy; call it without one, and its ops are treated one by one}}
    %1 = graph.tanh %x : tensor<8xf32>
    graph.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
func.func @model(%x: tensor<8xf32> {graph.input = "x"}) -> tensor<8xf32> {
  // expected-note @below {{called here}}
  %0 = graph.custom @body(%x) policy = "Allow" : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
