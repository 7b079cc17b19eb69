// RUN: mpc-opt %s --verify-diagnostics --split-input-file

func.func @scan_c1_steps(%h: tensor<4xf32>, %x: tensor<8x4xf32>) {
  // expected-error@+1 {{'graph.scan' op expected 1 step or more, but got 0}}
  %0:2 = graph.scan steps = 0 carry %h each %x : (tensor<4xf32>, tensor<8x4xf32>) -> (tensor<4xf32>, tensor<8x4xf32>) {
  ^bb0(%c: tensor<4xf32>, %e: tensor<4xf32>):
    graph.yield %c, %e : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

func.func @scan_c1_negative_steps(%h: tensor<4xf32>, %x: tensor<8x4xf32>) {
  // expected-error@+1 {{'graph.scan' op expected 1 step or more, but got -3}}
  %0:2 = graph.scan steps = -3 carry %h each %x : (tensor<4xf32>, tensor<8x4xf32>) -> (tensor<4xf32>, tensor<8x4xf32>) {
  ^bb0(%c: tensor<4xf32>, %e: tensor<4xf32>):
    graph.yield %c, %e : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

func.func @scan_c1_sequence(%h: tensor<4xf32>, %x: tensor<8x4xf32>) {
  // expected-error@+1 {{'graph.scan' op expected sequences of 7 steps, but got 'tensor<8x4xf32>'}}
  %0:2 = graph.scan steps = 7 carry %h each %x : (tensor<4xf32>, tensor<8x4xf32>) -> (tensor<4xf32>, tensor<8x4xf32>) {
  ^bb0(%c: tensor<4xf32>, %e: tensor<4xf32>):
    graph.yield %c, %e : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

func.func @scan_c1_results(%h: tensor<4xf32>, %x: tensor<8x4xf32>) {
  // expected-error@+1 {{'graph.scan' op expected results for the 1 carried values, but got 0}}
  graph.scan steps = 8 carry %h each %x : (tensor<4xf32>, tensor<8x4xf32>) -> () {
  ^bb0(%c: tensor<4xf32>, %e: tensor<4xf32>):
    graph.yield %c, %e : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

func.func @scan_c2_shift(%h: tensor<4xf32>, %x: tensor<8x4xf32>) {
  // expected-error@+1 {{'graph.scan' op expected shifts of -1, 0 or 1, but got 2}}
  %0:2 = graph.scan steps = 8 carry %h each %x shifts = [2] : (tensor<4xf32>, tensor<8x4xf32>) -> (tensor<4xf32>, tensor<8x4xf32>) {
  ^bb0(%c: tensor<4xf32>, %e: tensor<4xf32>):
    graph.yield %c, %e : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

func.func @scan_c2_shifts(%h: tensor<4xf32>, %x: tensor<8x4xf32>) {
  // expected-error@+1 {{'graph.scan' op expected a shift for each of 1 sequences, but got 2}}
  %0:2 = graph.scan steps = 8 carry %h each %x shifts = [0, 0] : (tensor<4xf32>, tensor<8x4xf32>) -> (tensor<4xf32>, tensor<8x4xf32>) {
  ^bb0(%c: tensor<4xf32>, %e: tensor<4xf32>):
    graph.yield %c, %e : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

func.func @scan_c2_edges(%h: tensor<4xf32>, %x: tensor<8x4xf32>) {
  // expected-error@+1 {{'graph.scan' op expected an edge for each of 1 sequences with a shift, but got 0}}
  %0:2 = graph.scan steps = 8 carry %h each %x shifts = [1] : (tensor<4xf32>, tensor<8x4xf32>) -> (tensor<4xf32>, tensor<8x4xf32>) {
  ^bb0(%c: tensor<4xf32>, %e: tensor<4xf32>):
    graph.yield %c, %e : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

func.func @scan_c2_edge(%h: tensor<4xf32>, %x: tensor<8x4xf32>, %g: tensor<5xf32>) {
  // expected-error@+1 {{'graph.scan' op expected an edge like an element of 'tensor<8x4xf32>', but got 'tensor<5xf32>'}}
  %0:2 = graph.scan steps = 8 carry %h each %x shifts = [1] edges %g : (tensor<4xf32>, tensor<8x4xf32>, tensor<5xf32>) -> (tensor<4xf32>, tensor<8x4xf32>) {
  ^bb0(%c: tensor<4xf32>, %e: tensor<4xf32>):
    graph.yield %c, %e : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

func.func @scan_c3_argument(%h: tensor<4xf32>, %x: tensor<8x4xf32>) {
  // expected-error@+1 {{'graph.scan' op expected arguments of the body of types 'tensor<4xf32>', 'tensor<4xf32>', but got 'tensor<4xf32>', 'tensor<5xf32>'}}
  %0:2 = graph.scan steps = 8 carry %h each %x : (tensor<4xf32>, tensor<8x4xf32>) -> (tensor<4xf32>, tensor<8x4xf32>) {
  ^bb0(%c: tensor<4xf32>, %e: tensor<5xf32>):
    graph.yield %c, %c : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

func.func @scan_c4_yield(%h: tensor<4xf32>, %x: tensor<8x4xf32>) {
  // expected-error@+1 {{'graph.scan' op expected yielded values of types 'tensor<4xf32>', 'tensor<4xf32>', but got 'tensor<4xf32>'}}
  %0:2 = graph.scan steps = 8 carry %h each %x : (tensor<4xf32>, tensor<8x4xf32>) -> (tensor<4xf32>, tensor<8x4xf32>) {
  ^bb0(%c: tensor<4xf32>, %e: tensor<4xf32>):
    graph.yield %c : tensor<4xf32>
  }
  return
}

// -----

func.func @scan_c4_carried(%h: tensor<4xf32>, %x: tensor<8x4xf32>) {
  // expected-error@+1 {{'graph.scan' op expected carried values, as the first results, of types 'tensor<5xf32>', but got 'tensor<4xf32>'}}
  %0:2 = graph.scan steps = 8 carry %h each %x : (tensor<4xf32>, tensor<8x4xf32>) -> (tensor<5xf32>, tensor<8x4xf32>) {
  ^bb0(%c: tensor<4xf32>, %e: tensor<4xf32>):
    graph.yield %c, %e : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

func.func @scan_c5_nested(%h: tensor<4xf32>, %x: tensor<8x4xf32>) {
  %0:2 = graph.scan steps = 8 carry %h each %x : (tensor<4xf32>, tensor<8x4xf32>) -> (tensor<4xf32>, tensor<8x4xf32>) {
  ^bb0(%c: tensor<4xf32>, %e: tensor<4xf32>):
    // expected-error@+1 {{'graph.scan' op expected no scan in the body of another}}
    %s = graph.scan steps = 2 carry %c : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%i: tensor<4xf32>):
      graph.yield %i : tensor<4xf32>
    }
    graph.yield %s, %e : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

func.func @scan_c7_statistics(%h: tensor<4x3xf32>, %x: tensor<8x4x3xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>) {
  %0:2 = graph.scan steps = 8 carry %h each %x with %m, %v : (tensor<4x3xf32>, tensor<8x4x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<8x4x3xf32>) {
  ^bb0(%c: tensor<4x3xf32>, %e: tensor<4x3xf32>, %mean: tensor<3xf32>, %var: tensor<3xf32>):
    // expected-error@+1 {{expected no running statistics in the body of a scan, where nothing would move them; normalize in front of it or behind it}}
    %n = graph.batch_norm %c running %mean, %var : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
    graph.yield %n, %e : tensor<4x3xf32>, tensor<4x3xf32>
  }
  return
}

// -----

func.func @scan_c6_random(%h: tensor<4xf32>, %x: tensor<8x4xf32>) {
  %0:2 = graph.scan steps = 8 carry %h each %x : (tensor<4xf32>, tensor<8x4xf32>) -> (tensor<4xf32>, tensor<8x4xf32>) {
  ^bb0(%c: tensor<4xf32>, %e: tensor<4xf32>):
    // expected-error@+1 {{'graph.dropout' op expected nothing random in the body of a scan; draw a sequence in front of it, of which each step takes its element}}
    %d = graph.dropout %c ratio = 0.5 : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %d, %e : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

func.func @group_c3_strides(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'graph.group' op expected a kernel, and for each of its 1 results as many strides of 0 or more as it has dims, or none, but got [array<i64: 16>]}}
  %y = graph.group <row> %x strides = [array<i64: 16>] : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    %b = graph.exp %a : tensor<4x8xf32>
    graph.yield %b : tensor<4x8xf32>
  }
  return
}

// -----

func.func @group_c3_count(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'graph.group' op expected a kernel, and for each of its 1 results as many strides of 0 or more as it has dims, or none, but got []}}
  %y = graph.group <row> %x strides = [] : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    %b = graph.exp %a : tensor<4x8xf32>
    graph.yield %b : tensor<4x8xf32>
  }
  return
}
