// RUN: mpc-opt %s --mpc-verify-group --split-input-file --verify-diagnostics

func.func @outside(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected 'graph.neg' to be in a group, but got it outside}}
  %0 = graph.neg %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @splat_outside(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected 'graph.constant' to be in a group, but got it outside}}
  %0 = graph.constant dense<1.0> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @composite(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @+1 {{the group}}
  %0 = graph.group #graph.group_kind<row> %x : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-error @+1 {{expected 'graph.softmax' to be decomposed, but got it in a group}}
    %1 = graph.softmax %a dim = 0 : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @collective(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @+1 {{the group}}
  %0 = graph.group #graph.group_kind<row> %x : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-error @+1 {{expected 'graph.all_reduce' outside of groups, but got it in one}}
    %1 = graph.all_reduce #graph.reduce_kind<average> %a group = "data" bucket = 0 : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @empty(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected a group of at least one op, but got an empty one}}
  %0 = graph.group #graph.group_kind<row> %x : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// Collectives and tables stand outside.
func.func @fine(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = graph.all_reduce #graph.reduce_kind<average> %x group = "data" bucket = 0 : (tensor<2xf32>) -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}
