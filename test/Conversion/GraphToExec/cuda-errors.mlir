// RUN: mpc-opt %s --mpc-convert-graph-to-exec --verify-diagnostics --split-input-file

// No product makes a sum besides.
module attributes {graph.target = "cuda"} {
func.func @m(%x: tensor<4x4xf32> {graph.input = "x"}) -> (tensor<4xf32> {graph.output = "y"}) attributes {graph.entry = "forward"} {
  %0:2 = graph.group <library> %x : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<4x4xf32>):
    %p = graph.matmul %a, %a transpose_rhs : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    // expected-error @+1 {{expected a matmul, then at most a bias row, another tensor and a function that the library knows, but got 'graph.sum' in a library group}}
    %s = graph.sum %a dims = [0] : (tensor<4x4xf32>) -> tensor<4xf32>
    graph.yield %p, %s : tensor<4x4xf32>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
}
}

// -----
// Values are observed on the processor.
module attributes {graph.target = "cuda"} {
func.func @m(%x: tensor<4x4xf32> {graph.input = "x"}) attributes {graph.entry = "probe"} {
  // expected-error @+1 {{expected target 'cpu', where values are observed, but got 'cuda'}}
  graph.observe 0 %x as "x" made_by "input" from [] : tensor<4x4xf32>
  return
}
}
