// RUN: mpc-opt %s --verify-diagnostics --split-input-file

func.func @constant_f8() {
  // expected-error@+1 {{result #0 must be static, non-empty tensor of f64, f32, f16, bf16, i64, i32 or i1 elements (f8 is not supported), but got 'tensor<2xf8E4M3FN>'}}
  %0 = graph.constant dense<1.0> : tensor<2xf8E4M3FN>
  return
}

// -----

func.func @iota_c1_dim() {
  // expected-error@+1 {{expected dim to be less than the rank 1, but got 1}}
  %0 = graph.iota dim = 1 : tensor<4xi32>
  return
}

// -----

func.func @iota_c2_size() {
  // expected-error@+1 {{expected indices up to 2147483648 to fit 'i32'}}
  %0 = graph.iota dim = 0 : tensor<2147483649xi32>
  return
}

// -----

func.func @iota_of_floats() {
  // expected-error@+1 {{result #0 must be static, non-empty tensor of i64 or i32 elements, but got 'tensor<4xf32>'}}
  %0 = graph.iota dim = 0 : tensor<4xf32>
  return
}

// -----

func.func @reshape_c1_elements(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{expected as many elements, but got 32 in 4x8 and 33 in 3x11}}
  %0 = graph.reshape %a : (tensor<4x8xf32>) -> tensor<3x11xf32>
  return
}

// -----

func.func @reshape_types(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.reshape %a : (tensor<4x8xf32>) -> tensor<32xf16>
  return
}

// -----

func.func @transpose_c1_permutation(%a: tensor<4x8xf32>) {
  // expected-error@+2 {{expected a permutation of the dims of 4x8, but got [0, 0]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.transpose %a permutation = [0, 0] : (tensor<4x8xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @broadcast_c1_shape(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{expected the input's shape to broadcast to the result's, but got 4x8 and 4x9}}
  %0 = graph.broadcast %a : (tensor<4x8xf32>) -> tensor<4x9xf32>
  return
}

// -----

func.func @broadcast_c1_smaller(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{expected the input's shape to broadcast to the result's, but got 4x8 and 8}}
  %0 = graph.broadcast %a : (tensor<4x8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @slice_c1_rank(%a: tensor<4x8xf32>) {
  // expected-error@+2 {{expected offsets [0] and sizes [4] to lie within 4x8}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.slice %a offsets = [0] sizes = [4] : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @slice_c2_outside(%a: tensor<4x8xf32>) {
  // expected-error@+2 {{expected offsets [1, 0] and sizes [4, 8] to lie within 4x8}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.slice %a offsets = [1, 0] sizes = [4, 8] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @slice_c2_overflow(%a: tensor<8xf32>) {
  // expected-error@+2 {{expected offsets [9223372036854775807] and sizes [1] to lie within 8}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.slice %a offsets = [9223372036854775807] sizes = [1] : (tensor<8xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @slice_c1_steps(%a: tensor<4x8xf32>) {
  // expected-error@+2 {{expected offsets [0, 0], sizes [4, 8] and steps [1] to lie within 4x8}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.slice %a offsets = [0, 0] sizes = [4, 8] steps = [1] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @slice_c2_step_0(%a: tensor<4x8xf32>) {
  // expected-error@+2 {{expected offsets [0, 0], sizes [4, 1] and steps [1, 0] to lie within 4x8}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.slice %a offsets = [0, 0] sizes = [4, 1] steps = [1, 0] : (tensor<4x8xf32>) -> tensor<4x1xf32>
  return
}

// -----

func.func @slice_c2_steps_over_the_end(%a: tensor<4x8xf32>) {
  // expected-error@+2 {{expected offsets [0, 1], sizes [4, 3] and steps [1, 4] to lie within 4x8}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.slice %a offsets = [0, 1] sizes = [4, 3] steps = [1, 4] : (tensor<4x8xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @slice_c2_steps_overflow(%a: tensor<4xf32>) {
  // expected-error@+2 {{expected offsets [0], sizes [3] and steps [9223372036854775807] to lie within 4}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.slice %a offsets = [0] sizes = [3] steps = [9223372036854775807] : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @window_c1_numbers(%a: tensor<4x8xf32>) {
  // expected-error@+2 {{expected offsets, sizes, steps and spread for each dim of 4x8, but got 2, 2, 2 and 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.window %a offsets = [0, 0] sizes = [4, 8] spread = [2] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @window_c2_sizes(%a: tensor<4xf32>) {
  // expected-error@+2 {{expected sizes of 1 or more, but got [-1]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.window %a offsets = [0] sizes = [-1] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @window_c2_steps(%a: tensor<4xf32>) {
  // expected-error@+2 {{expected steps of 1 or more, but got [0]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.window %a offsets = [0] sizes = [4] steps = [0] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @window_c2_spread(%a: tensor<4xf32>) {
  // expected-error@+2 {{expected spread of 1 or more, but got [-2]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.window %a offsets = [0] sizes = [4] spread = [-2] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @window_c3_far(%a: tensor<4xf32>) {
  // expected-error@+2 {{expected places of a magnitude less than 2^31 - 1, but got 3 of them from 0 in steps of 1073741824, and 4 elements 1 apart along dim 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.window %a offsets = [0] sizes = [3] steps = [1073741824] : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @window_c3_spread(%a: tensor<4xf32>) {
  // expected-error@+2 {{expected places of a magnitude less than 2^31 - 1, but got 3 of them from 0 in steps of 1, and 4 elements 1073741824 apart along dim 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.window %a offsets = [0] sizes = [3] spread = [1073741824] : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @window_c4_repeat(%a: tensor<4xf32>) {
  // expected-error@+2 {{expected `repeat` without `steps`, but got both}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.window %a offsets = [0] sizes = [4] steps = [1] repeat : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @pad_c1_negative(%a: tensor<4x8xf32>) {
  // expected-error@+2 {{expected one non-negative low and high per dim of 4x8, but got [0, -1] and [0, 0]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.pad %a low = [0, -1] high = [0, 0] : (tensor<4x8xf32>) -> tensor<4x7xf32>
  return
}

// -----

func.func @concat_c1_empty() {
  // expected-error@+1 {{'graph.concat' op expected 1 or more operands, but found 0}}
  %0 = graph.concat dim = 0 : () -> tensor<4xf32>
  return
}

// -----

func.func @concat_c2_dim(%a: tensor<4xf32>) {
  // expected-error@+2 {{expected dim to be less than the rank 1, but got 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.concat %a, %a dim = 1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @concat_c3_shapes(%a: tensor<4x8xf32>, %b: tensor<5x8xf32>) {
  // expected-error@+2 {{expected shapes to agree except in dim 1, but got 4x8 and 5x8}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.concat %a, %b dim = 1 : (tensor<4x8xf32>, tensor<5x8xf32>) -> tensor<4x16xf32>
  return
}

// -----

func.func @concat_c4_types(%a: tensor<4xf32>, %b: tensor<4xf16>) {
  // expected-error@+1 {{requires the same element type for all operands and results}}
  %0 = graph.concat %a, %b dim = 0 : (tensor<4xf32>, tensor<4xf16>) -> tensor<8xf32>
  return
}

// -----

func.func @pad_overflow(%a: tensor<4xf32>) {
  // expected-error@+2 {{expected sizes of 63 bits, but 9223372036854775807 + 4 + 9223372036854775807 has more}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.pad %a low = [9223372036854775807] high = [9223372036854775807] : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @stack_c1_input() {
  // expected-error@+1 {{'graph.stack' op expected 1 or more operands, but found 0}}
  %0 = "graph.stack"() <{dim = 0 : i64}> : () -> tensor<1xf32>
  return
}

// -----

func.func @stack_c2_dim(%x: tensor<4x8xf32>) {
  // expected-error@+2 {{expected dim to be at most the rank 2, but got 3}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.stack %x, %x dim = 3 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8x2xf32>
  return
}

// -----

func.func @stack_c3_shapes(%x: tensor<4x8xf32>, %y: tensor<4x1xf32>) {
  // expected-error@+2 {{expected inputs of one shape, but got 4x8 and 4x1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.stack %x, %y dim = 0 : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<2x4x8xf32>
  return
}

// -----

func.func @stack_c3_types(%x: tensor<4xf32>, %y: tensor<4xf16>) {
  // expected-error@+1 {{'graph.stack' op requires the same element type for all operands and results}}
  %0 = graph.stack %x, %y dim = 0 : (tensor<4xf32>, tensor<4xf16>) -> tensor<2x4xf32>
  return
}

// -----

func.func @split_c1_dim(%x: tensor<4x8xf32>) {
  // expected-error@+2 {{expected dim to be less than the rank 2 and not negative, but got 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.split %x dim = 2 sizes = [4] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @split_c2_sum(%x: tensor<4x8xf32>) {
  // expected-error@+2 {{expected sizes of 1 or more whose sum is 8, the size of dim 1, but got [3, 4]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = graph.split %x dim = 1 sizes = [3, 4] : (tensor<4x8xf32>) -> (tensor<4x3xf32>, tensor<4x4xf32>)
  return
}

// -----

func.func @split_c2_negative(%x: tensor<4x8xf32>) {
  // expected-error@+2 {{expected sizes of 1 or more whose sum is 8, the size of dim 1, but got [-9223372036854775808, 8]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = graph.split %x dim = 1 sizes = [-9223372036854775808, 8] : (tensor<4x8xf32>) -> (tensor<4x3xf32>, tensor<4x8xf32>)
  return
}

// -----

func.func @split_results(%x: tensor<4x8xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<4x3xf32>', 'tensor<4x5xf32>' are incompatible with return type(s) of operation 'tensor<4x8xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.split %x dim = 1 sizes = [3, 5] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @flip_c1_dims(%x: tensor<4x8xf32>) {
  // expected-error@+2 {{expected dims to be ascending, unique and less than the rank 2, but got [1, 0]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.flip %x dims = [1, 0] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @tile_c1_count(%x: tensor<4x8xf32>) {
  // expected-error@+2 {{expected one number of repeats, 1 or more, per dim of 4x8, but got [2]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.tile %x repeats = [2] : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @tile_c1_zero(%x: tensor<4x8xf32>) {
  // expected-error@+2 {{expected one number of repeats, 1 or more, per dim of 4x8, but got [2, 0]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.tile %x repeats = [2, 0] : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @tile_of_too_many(%x: tensor<4xf32>) {
  // expected-error@+2 {{expected sizes of 63 bits, but 4 * 4611686018427387904 has more}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.tile %x repeats = [4611686018427387904] : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @reflection_pad_c1_count(%x: tensor<4x8xf32>) {
  // expected-error@+2 {{expected one non-negative low and high per dim of 4x8, but got [1] and [1]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.reflection_pad %x low = [1] high = [1] : (tensor<4x8xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @reflection_pad_c2_bound(%x: tensor<4x8xf32>) {
  // expected-error@+2 {{expected low and high of at most 3 in a dim of size 4, but got 4}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.reflection_pad %x low = [0, 0] high = [4, 0] : (tensor<4x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @circular_pad_c1_count(%x: tensor<4x8xf32>) {
  // expected-error@+2 {{expected one non-negative low and high per dim of 4x8, but got [1] and [1]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.circular_pad %x low = [1] high = [1] : (tensor<4x8xf32>) -> tensor<6x8xf32>
  return
}

// -----

func.func @circular_pad_c2_bound(%x: tensor<4x8xf32>) {
  // expected-error@+2 {{expected low and high of at most 4 in a dim of size 4, but got 5}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.circular_pad %x low = [0, 0] high = [5, 0] : (tensor<4x8xf32>) -> tensor<9x8xf32>
  return
}

// -----

func.func @replication_pad_c1_negative(%x: tensor<4xf32>) {
  // expected-error@+2 {{expected one non-negative low and high per dim of 4, but got [-1] and [1]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.replication_pad %x low = [-1] high = [1] : (tensor<4xf32>) -> tensor<4xf32>
  return
}
