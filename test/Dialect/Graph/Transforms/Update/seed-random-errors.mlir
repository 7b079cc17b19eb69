// RUN: mpc-opt %s --mpc-seed-random --verify-diagnostics --split-input-file

func.func @unnumbered(%x: tensor<4xf32> {graph.input = "x"}) -> (tensor<4xf32> {graph.output = "y"}) attributes {graph.entry = "step"} {
  // expected-error@+1 {{expected a stream to draw from, but got none; run mpc-number-random first}}
  %0 = graph.dropout %x ratio = 0.5 : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error@+1 {{expected 'random.seed' to be free for new state, but an argument already has this name}}
func.func @taken(%x: tensor<4xf32> {graph.input = "x"}, %s: tensor<i32> {graph.state = #graph.state<"random.seed" hyperparameter init #graph.zeros>}) -> (tensor<4xf32> {graph.output = "y"}) attributes {graph.entry = "step"} {
  %0 = graph.dropout %x ratio = 0.5 stream = 0 : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
