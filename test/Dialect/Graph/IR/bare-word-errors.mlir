// A word where an attribute is expected is MLIR's to refuse; what to write
// instead is said beside it.
// RUN: mpc-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expected attribute value}}
// expected-note @below {{an attribute of the dialect begins with '#graph.', as in 'graph.init = #graph.normal<mean, stddev>', and a string has quotes, as in 'graph.input = "x"'}}
func.func @f(%w: tensor<4xf32> {graph.parameter = "w", graph.init = normal<0.18>}) {
  return
}

// -----

// expected-error @below {{expected attribute value}}
// expected-note @below {{a string has quotes}}
func.func @f(%x: tensor<4xf32> {graph.input = x}) {
  return
}
