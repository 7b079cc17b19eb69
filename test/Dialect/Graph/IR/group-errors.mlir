// RUN: mpc-opt %s --verify-diagnostics --split-input-file

func.func @group_c1_count(%a: tensor<4xf32>) {
  // expected-error@+1 {{expected as many block arguments as inputs, but got 0 and 1}}
  %0 = graph.group <row> %a : (tensor<4xf32>) -> tensor<4xf32> {
    %c = graph.constant dense<0.0> : tensor<4xf32>
    graph.yield %c : tensor<4xf32>
  }
  return
}

// -----

func.func @group_c1_types(%a: tensor<4xf32>) {
  // expected-error@+1 {{expected block argument 0 of type 'tensor<4xf32>' like its input, but got 'tensor<5xf32>'}}
  %0 = graph.group <row> %a : (tensor<4xf32>) -> tensor<5xf32> {
  ^bb0(%b: tensor<5xf32>):
    graph.yield %b : tensor<5xf32>
  }
  return
}

// -----

func.func @group_c2_count(%a: tensor<4xf32>) {
  // expected-error@+1 {{expected as many yielded values as results, but got 0 and 1}}
  %0 = graph.group <row> %a : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%b: tensor<4xf32>):
    graph.yield
  }
  return
}

// -----

func.func @group_c2_types(%a: tensor<4xf32>) {
  // expected-error@+1 {{expected yielded value 0 of type 'tensor<5xf32>' like its result, but got 'tensor<4xf32>'}}
  %0 = graph.group <row> %a : (tensor<4xf32>) -> tensor<5xf32> {
  ^bb0(%b: tensor<4xf32>):
    graph.yield %b : tensor<4xf32>
  }
  return
}

// -----

func.func @yield_outside(%a: tensor<4xf32>) {
  // expected-error@+1 {{expects parent op to be one of 'graph.autocast_region, graph.group, graph.scan'}}
  graph.yield %a : tensor<4xf32>
}
