// RUN: mpc-opt %s --mpc-emit-kernels --verify-diagnostics --split-input-file
// Groups that no kernel can be made of.

func.func @two_indices(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.group <row> %x : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>):
    // expected-error@+1 {{needs elements of one value at two indices at once}}
    %1 = graph.transpose %a permutation = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = graph.add %a, %1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    graph.yield %2 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// -----

func.func @composite(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.group <row> %x : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>):
    // expected-error@+1 {{expected an elementwise op, a reduction or a movement in a kernel}}
    %1 = graph.softmax %a dim = 1 : (tensor<4x4xf32>) -> tensor<4x4xf32>
    graph.yield %1 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// -----

func.func @inner_slice(%x: tensor<4x4xf32>) -> tensor<2x4xf32> {
  %0 = graph.group <row> %x : (tensor<4x4xf32>) -> tensor<2x4xf32> {
  ^bb0(%a: tensor<4x4xf32>):
    %1 = graph.neg %a : tensor<4x4xf32>
    // expected-error@+1 {{expected a slice in a kernel to read an operand of the kernel}}
    %2 = graph.slice %1 offsets = [0, 0] sizes = [2, 4] : (tensor<4x4xf32>) -> tensor<2x4xf32>
    graph.yield %2 : tensor<2x4xf32>
  }
  return %0 : tensor<2x4xf32>
}

// -----

func.func @two_folds(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<8xf32>) {
  %0:2 = graph.group <row> %x : (tensor<4x8xf32>) -> (tensor<4xf32>, tensor<8xf32>) {
  ^bb0(%a: tensor<4x8xf32>):
    %1 = graph.sum %a dims = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
    // expected-error@+1 {{expected all reductions of a group to fold the same dims}}
    %2 = graph.sum %a dims = [0] : (tensor<4x8xf32>) -> tensor<8xf32>
    graph.yield %1, %2 : tensor<4xf32>, tensor<8xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<8xf32>
}

// -----

func.func @lacks_dims(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>) {
  // expected-error@+1 {{expected result 1 to have all dims of the group's space of 2, but it lacks some}}
  %0:2 = graph.group <row> %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>) {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<8xf32>):
    %1 = graph.neg %b : tensor<8xf32>
    %2 = graph.add %a, %1 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    graph.yield %2, %1 : tensor<4x8xf32>, tensor<8xf32>
  }
  return %0#0, %0#1 : tensor<4x8xf32>, tensor<8xf32>
}

// -----

func.func @not_alone(%x: tensor<4xf32>) -> tensor<6xf32> {
  // expected-error@+1 {{expected a concat or pad to be alone in its group}}
  %0 = graph.group <move> %x : (tensor<4xf32>) -> tensor<6xf32> {
  ^bb0(%a: tensor<4xf32>):
    %1 = graph.pad %a low = [1] high = [1] : (tensor<4xf32>) -> tensor<6xf32>
    %2 = graph.neg %1 : tensor<6xf32>
    graph.yield %2 : tensor<6xf32>
  }
  return %0 : tensor<6xf32>
}

// -----

!wide = tensor<2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2xf32>
func.func @too_many_dims(%x: !wide, %y: !wide) -> !wide {
  %0 = graph.group <row> %x, %y : (!wide, !wide) -> !wide {
  ^bb0(%a: !wide, %b: !wide):
    %1 = graph.sum %a dims = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31] : (!wide) -> tensor<f32>
    // expected-error@+1 {{expected an iteration space of at most 62 dims, but got 64}}
    %2 = graph.add %b, %1 : (!wide, tensor<f32>) -> !wide
    graph.yield %2 : !wide
  }
  return %0 : !wide
}

// -----

func.func @other_parts(%x: tensor<40x4xf32>) -> (tensor<5x4xf32>, tensor<4x4xf32>) {
  %0:2 = graph.group <row> %x : (tensor<40x4xf32>) -> (tensor<5x4xf32>, tensor<4x4xf32>) {
  ^bb0(%a: tensor<40x4xf32>):
    %1 = graph.partial_sum %a dims = [0] rows = 8 : (tensor<40x4xf32>) -> tensor<5x4xf32>
    // expected-error@+1 {{expected all folds in parts of a group to take equal parts of its items, in one order, and to keep what its reductions fold, or something}}
    %2 = graph.partial_sum %a dims = [0] rows = 10 : (tensor<40x4xf32>) -> tensor<4x4xf32>
    graph.yield %1, %2 : tensor<5x4xf32>, tensor<4x4xf32>
  }
  return %0#0, %0#1 : tensor<5x4xf32>, tensor<4x4xf32>
}

// -----

func.func @parts_beside_columns(%x: tensor<40x4xf32>) -> (tensor<4xf32>, tensor<5x4xf32>) {
  %0:2 = graph.group <row> %x : (tensor<40x4xf32>) -> (tensor<4xf32>, tensor<5x4xf32>) {
  ^bb0(%a: tensor<40x4xf32>):
    %1 = graph.sum %a dims = [0] : (tensor<40x4xf32>) -> tensor<4xf32>
    // expected-error@+1 {{expected all folds in parts of a group}}
    %2 = graph.partial_sum %a dims = [0] rows = 8 : (tensor<40x4xf32>) -> tensor<5x4xf32>
    graph.yield %1, %2 : tensor<4xf32>, tensor<5x4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<5x4xf32>
}

// -----

func.func @reads_parts(%x: tensor<40x4xf32>) -> tensor<5x4xf32> {
  %0 = graph.group <row> %x : (tensor<40x4xf32>) -> tensor<5x4xf32> {
  ^bb0(%a: tensor<40x4xf32>):
    %1 = graph.partial_sum %a dims = [0] rows = 8 : (tensor<40x4xf32>) -> tensor<5x4xf32>
    // expected-error@+1 {{reads parts that are known when the kernel has ended; put it into another group}}
    %2 = graph.neg %1 : tensor<5x4xf32>
    graph.yield %2 : tensor<5x4xf32>
  }
  return %0 : tensor<5x4xf32>
}
