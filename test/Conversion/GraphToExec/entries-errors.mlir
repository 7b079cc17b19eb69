// RUN: mpc-opt %s --mpc-convert-graph-to-exec --verify-diagnostics --split-input-file

// expected-error @+1 {{expected every function to be an entry of the program, but 'm' has no 'graph.entry'; run mpc-differentiate first}}
func.func @m() {
  return
}

// -----
// expected-note @+1 {{the first is here}}
func.func @m() attributes {graph.entry = "forward"} {
  return
}
// expected-error @+1 {{expected one entry "forward", but got two}}
func.func @n() attributes {graph.entry = "forward"} {
  return
}

// -----
func.func @m(%x: tensor<4xf32> {graph.input = "x"}) -> (tensor<4xf32> {graph.output = "y"}) attributes {graph.entry = "forward"} {
  // expected-error @+1 {{expected to be inside a group; run mpc-group first}}
  %y = graph.neg %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----
func.func @m(%x: tensor<4x4xf32> {graph.input = "x"}) -> (tensor<4x4xf32> {graph.output = "y"}) attributes {graph.entry = "forward"} {
  %0 = graph.group #graph.group_kind<library> %x : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>):
    %p = graph.matmul %a, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    // expected-error @+1 {{expected a matmul, then at most a bias row, another tensor and a function that the library knows, but got 'graph.neg' in a library group}}
    %n = graph.neg %p : tensor<4x4xf32>
    graph.yield %n : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// -----
func.func @m(%x: tensor<4x4xf32> {graph.input = "x"}) -> (tensor<4x4xf32> {graph.output = "y"}) attributes {graph.entry = "forward"} {
  %0:2 = graph.group #graph.group_kind<library> %x : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  ^bb0(%a: tensor<4x4xf32>):
    %p = graph.matmul %a, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %n = graph.relu %p : tensor<4x4xf32>
    // expected-error @+1 {{expected a library group to yield its last value, what the library can store and nothing else}}
    graph.yield %p, %n : tensor<4x4xf32>, tensor<4x4xf32>
  }
  return %0#1 : tensor<4x4xf32>
}

// -----
// expected-note @+1 {{the other is here}}
func.func @m(%w: tensor<4xf32> {graph.parameter = "w"}) attributes {graph.entry = "forward"} {
  return
}
// expected-error @+1 {{expected state "w" to have one type in all entries, but got 'tensor<5xf32>' and in another one 'tensor<4xf32>'}}
func.func @n(%w: tensor<5xf32> {graph.parameter = "w"}) attributes {graph.entry = "step"} {
  return
}

// -----
// expected-error @+1 {{expected `init` for role hyperparameter: only a weight copy is computed by the entry `init`}}
func.func @m(%s: tensor<f32> {graph.state = #graph.state<"s" hyperparameter>}) attributes {graph.entry = "forward"} {
  return
}

// -----
// expected-error @+1 {{expected argument 0 to be marked 'graph.input', 'graph.parameter' or 'graph.state', but it has no mark}}
func.func @m(%s: tensor<4xf32>) attributes {graph.entry = "forward"} {
  return
}

// -----
// expected-error @+1 {{expected result 0 to be marked 'graph.loss', 'graph.output' or 'graph.updates', but it has no mark}}
func.func @m(%x: tensor<4xf32> {graph.input = "x"}) -> tensor<4xf32> attributes {graph.entry = "forward"} {
  return %x : tensor<4xf32>
}

// -----
// Movements are of operands: after the product nobody does them.
func.func @m(%x: tensor<4x4xf32> {graph.input = "x"}) -> (tensor<4x4xf32> {graph.output = "y"}) attributes {graph.entry = "forward"} {
  %0 = graph.group #graph.group_kind<library> %x : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>):
    %p = graph.matmul %a, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    // expected-error @+1 {{but got 'graph.transpose' in a library group}}
    %t = graph.transpose %p permutation = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    graph.yield %p : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// -----
func.func @m(%x: tensor<4x4xf32> {graph.input = "x"}, %b: tensor<4xf32> {graph.input = "b"}) -> (tensor<4x4xf32> {graph.output = "y"}) attributes {graph.entry = "forward"} {
  %0 = graph.group #graph.group_kind<library> %x, %b : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>, %c: tensor<4xf32>):
    %p = graph.matmul %a, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %q = graph.add %p, %c : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
    // expected-error @+1 {{but got 'graph.add' in a library group}}
    %r = graph.add %q, %c : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
    graph.yield %r : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// -----
// What the call writes first is its result.
func.func @m(%x: tensor<4x4xf32> {graph.input = "x"}) -> (tensor<4x4xf32> {graph.output = "y"}) attributes {graph.entry = "forward"} {
  %0 = graph.group #graph.group_kind<library> %x : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>):
    %p = graph.matmul %a, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %n = graph.relu %p : tensor<4x4xf32>
    // expected-error @+1 {{expected a library group to yield its last value, what the library can store and nothing else}}
    graph.yield %p : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// -----
// What the derivative is at comes from outside, as the call reads it.
module attributes {graph.target = "cuda"} {
func.func @m(%x: tensor<8x8xf16> {graph.input = "x"}) -> (tensor<8x8xf16> {graph.output = "y"}) attributes {graph.entry = "forward"} {
  %0 = graph.group #graph.group_kind<library> %x : (tensor<8x8xf16>) -> tensor<8x8xf16> {
  ^bb0(%a: tensor<8x8xf16>):
    %t = graph.transpose %a permutation = [1, 0] : (tensor<8x8xf16>) -> tensor<8x8xf16>
    %p = graph.matmul %a, %t : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
    // expected-error @+1 {{but got 'graph.gelu_backward' in a library group}}
    %d = graph.gelu_backward %p, %t kind = <tanh> : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
    graph.yield %d : tensor<8x8xf16>
  }
  return %0 : tensor<8x8xf16>
}
}

// -----
// Lists of tensors are for kernels that the target lacks.
func.func @m(%x: tensor<8xf32> {graph.input = "x"}) -> (tensor<f32> {graph.output = "norm"}) attributes {graph.entry = "forward"} {
  // expected-error @+1 {{expected a target with kernels on lists of tensors, but got 'cpu'; write an op for each tensor instead}}
  %inf, %norm = graph.unscale_l2norm %x : (tensor<8xf32>) -> (tensor<i1>, tensor<f32>)
  return %norm : tensor<f32>
}

// -----
// A part of what the group yields that has no strides there.
func.func @m(%q: tensor<2x16x2x64xf16> {graph.input = "q"}) -> (tensor<2x16x4x64xf16> {graph.output = "y"}) attributes {graph.entry = "forward"} {
  %0 = graph.group #graph.group_kind<library> %q : (tensor<2x16x2x64xf16>) -> tensor<2x16x4x64xf16> {
  ^bb0(%a: tensor<2x16x2x64xf16>):
    %y, %l = graph.scaled_dot_product_attention %a, %a, %a : (tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>) -> (tensor<2x16x2x64xf16>, tensor<2x2x16xf32>)
    %b = graph.slice %y offsets = [0, 0, 0, 0] sizes = [2, 16, 1, 64] : (tensor<2x16x2x64xf16>) -> tensor<2x16x1x64xf16>
    %c = graph.broadcast %b : (tensor<2x16x1x64xf16>) -> tensor<2x16x4x64xf16>
    // expected-error @+1 {{expected a library group to yield its last value, what the library can store and nothing else}}
    graph.yield %c : tensor<2x16x4x64xf16>
  }
  return %0 : tensor<2x16x4x64xf16>
}
