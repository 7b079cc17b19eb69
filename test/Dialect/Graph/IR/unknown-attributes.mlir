// RUN: mpc-opt %s --verify-diagnostics --split-input-file

// A word in the braces of an op that is not one of its attributes would do
// nothing, and say nothing.
func.func @misspelled(%q: tensor<1x4x1x8xf32>) {
  // expected-error@+1 {{op has no attribute 'causl', did you mean 'causal'?}}
  %y, %l = graph.scaled_dot_product_attention %q, %q, %q {causl}
      : (tensor<1x4x1x8xf32>, tensor<1x4x1x8xf32>, tensor<1x4x1x8xf32>) -> (tensor<1x4x1x8xf32>, tensor<1x1x4xf32>)
  return
}

// -----

func.func @nothing_near(%x: tensor<4xf32>) {
  // expected-error@+1 {{op has no attribute 'inplace'}}
  %y = graph.relu %x {inplace = true} : tensor<4xf32>
  return
}

// -----

// Beside the properties, where generic forms of before had it.
func.func @property(%x: tensor<4xf32>) {
  // expected-error@+1 {{expected 'reason' among its properties: <{reason = "abc"}>}}
  %y = "graph.cast"(%x) {reason = "abc"} : (tensor<4xf32>) -> tensor<4xf16>
  return
}

// -----

// As PyTorch calls it; and what has another name altogether.
func.func @loss(%x: tensor<4x3xf32>, %labels: tensor<4xi32>) {
  // expected-error@+1 {{op has no attribute 'label_smooth', did you mean 'label_smoothing'?}}
  %y = graph.cross_entropy %x, %labels {label_smooth = 0.9 : f64} : (tensor<4x3xf32>, tensor<4xi32>) -> tensor<f32>
  return
}

// -----

// Its own, and those of dialects, may stand there.
func.func @known(%x: tensor<4x3xf32>, %labels: tensor<4xi32>) {
  %y = graph.cross_entropy %x, %labels {label_smoothing = 0.9 : f64, other.note = "mine"} : (tensor<4x3xf32>, tensor<4xi32>) -> tensor<f32>
  return
}
