// RUN: mpc-opt %s --verify-diagnostics --split-input-file

func.func @gather_c1_dim(%x: tensor<4x8xf32>, %i: tensor<3xi32>) {
  // expected-error@+2 {{expected 'dim' to be one of the 2 dims of 4x8, but got 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.gather %x, %i dim = 2 : (tensor<4x8xf32>, tensor<3xi32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @gather_c1_of_a_scalar(%x: tensor<f32>, %i: tensor<3xi32>) {
  // expected-error@+2 {{expected 'dim' to be one of the 0 dims of scalar, but got 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.gather %x, %i dim = 0 : (tensor<f32>, tensor<3xi32>) -> tensor<3xf32>
  return
}

// -----

func.func @gather_c2_size(%x: tensor<2147483648xf32>, %i: tensor<3xi32>) {
  // expected-error@+2 {{expected a size from 1 to the largest 'i32' for these indices, but got 2147483648}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.gather %x, %i dim = 0 : (tensor<2147483648xf32>, tensor<3xi32>) -> tensor<3xf32>
  return
}

// -----

func.func @gather_result(%x: tensor<4x8xf32>, %i: tensor<3x2xi32>) {
  // expected-error@+2 {{failed to infer returned types}}
  // expected-error@+1 {{are incompatible with return type(s) of operation 'tensor<3x8xf32>'}}
  %0 = graph.gather %x, %i dim = 0 : (tensor<4x8xf32>, tensor<3x2xi32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @gather_at_floats(%x: tensor<4x8xf32>, %i: tensor<3xf32>) {
  // expected-error@+1 {{operand #1 must be static, non-empty tensor of i64 or i32 elements, but got 'tensor<3xf32>'}}
  %0 = graph.gather %x, %i dim = 0 : (tensor<4x8xf32>, tensor<3xf32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @segment_sum_c1_shape(%x: tensor<4x8xf32>, %i: tensor<3xi32>) {
  // expected-error@+2 {{expected indices of the dims of 4x8 from dim 0 on, which are 4x8, but got 3}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.segment_sum %x, %i dim = 0 size = 5 : (tensor<4x8xf32>, tensor<3xi32>) -> tensor<5x8xf32>
  return
}

// -----

func.func @segment_sum_c1_rank(%x: tensor<4x8xf32>, %i: tensor<8x1xi32>) {
  // expected-error@+2 {{expected indices of the dims of 4x8 from dim 1 on, which are 8, but got 8x1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.segment_sum %x, %i dim = 1 size = 5 : (tensor<4x8xf32>, tensor<8x1xi32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @segment_sum_c2_none(%x: tensor<4x8xf32>, %i: tensor<4xi32>) {
  // expected-error@+2 {{expected a size from 1 to the largest 'i32' for these indices, but got 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.segment_sum %x, %i dim = 0 size = 0 : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<1x8xf32>
  return
}

// -----

func.func @segment_sum_c2_size(%x: tensor<4x8xf32>, %i: tensor<4xi32>) {
  // expected-error@+2 {{expected a size from 1 to the largest 'i32' for these indices, but got 4294967296}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.segment_sum %x, %i dim = 0 size = 4294967296 : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  return
}

// -----

// PyTorch counts -1 from the end; here it is an error, not a row that is padded by nobody.
func.func @gather_c3_padding(%a: tensor<7x8xf32>, %i: tensor<3xi32>) {
  // expected-error@+2 {{expected a padding_index in [0, 7), but got -1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.gather %a, %i dim = 0 padding_index = -1 : (tensor<7x8xf32>, tensor<3xi32>) -> tensor<3x8xf32>
  return
}

// -----

func.func @gather_c3_padding_large(%a: tensor<7x8xf32>, %i: tensor<3xi32>) {
  // expected-error@+2 {{expected a padding_index in [0, 7), but got 7}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.gather %a, %i dim = 0 padding_index = 7 : (tensor<7x8xf32>, tensor<3xi32>) -> tensor<3x8xf32>
  return
}

// -----

// Cut to 32 bits it would be 0, which counts.
func.func @segment_sum_c2_ignored(%a: tensor<5x8xf32>, %i: tensor<5xi32>) {
  // expected-error@+2 {{expected an ignore_index that 'i32' indices can be, but got 4294967296}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.segment_sum %a, %i dim = 0 size = 4 ignore_index = 4294967296 : (tensor<5x8xf32>, tensor<5xi32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @segment_sum_c1_dim(%a: tensor<5x3xf32>, %i: tensor<5xi32>) {
  // expected-error@+2 {{expected 'dim' to be one of the 2 dims of 5x3, but got 3}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.segment_sum %a, %i dim = 3 size = 4 : (tensor<5x3xf32>, tensor<5xi32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_elements_c1_rank(%x: tensor<4x8xf32>, %i: tensor<4xi32>) {
  // expected-error@+2 {{expected indices of rank 2 and 'dim' less than that, but got indices of rank 1 and dim 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.gather_elements %x, %i dim = 0 : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

func.func @gather_elements_c1_dim(%x: tensor<4x8xf32>, %i: tensor<4x8xi32>) {
  // expected-error@+2 {{expected indices of rank 2 and 'dim' less than that, but got indices of rank 2 and dim 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.gather_elements %x, %i dim = 2 : (tensor<4x8xf32>, tensor<4x8xi32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @gather_elements_c2_longer(%x: tensor<4x8xf32>, %i: tensor<5x8xi32>) {
  // expected-error@+2 {{expected indices that are in no dim but 1 longer than 4x8, but got 5x8}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.gather_elements %x, %i dim = 1 : (tensor<4x8xf32>, tensor<5x8xi32>) -> tensor<5x8xf32>
  return
}

// -----

func.func @scatter_add_c1_rank(%x: tensor<4x8xf32>, %i: tensor<4xi32>, %u: tensor<4xf32>) {
  // expected-error@+2 {{expected indices of rank 2 and 'dim' less than that, but got indices of rank 1 and dim 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.scatter_add %x, %i, %u dim = 0 : (tensor<4x8xf32>, tensor<4xi32>, tensor<4xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @scatter_add_c1_dim(%x: tensor<4x8xf32>, %i: tensor<4x8xi32>, %u: tensor<4x8xf32>) {
  // expected-error@+2 {{expected indices of rank 2 and 'dim' less than that, but got indices of rank 2 and dim 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.scatter_add %x, %i, %u dim = 2 : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @scatter_add_c2_longer(%x: tensor<4x8xf32>, %i: tensor<5x8xi32>, %u: tensor<5x8xf32>) {
  // expected-error@+2 {{expected indices that are in no dim but 1 longer than 4x8, but got 5x8}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.scatter_add %x, %i, %u dim = 1 : (tensor<4x8xf32>, tensor<5x8xi32>, tensor<5x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @gather_elements_c3_size(%x: tensor<2147483648xf32>, %i: tensor<3xi32>) {
  // expected-error@+2 {{expected a size from 1 to the largest 'i32' for these indices, but got 2147483648}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.gather_elements %x, %i dim = 0 : (tensor<2147483648xf32>, tensor<3xi32>) -> tensor<3xf32>
  return
}

// -----

func.func @scatter_add_c2_updates(%x: tensor<4x8xf32>, %i: tensor<4x2xi32>, %u: tensor<4x1xf32>) {
  // expected-error@+2 {{expected an index for each update, but got indices 4x2 and updates 4x1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.scatter_add %x, %i, %u dim = 1 : (tensor<4x8xf32>, tensor<4x2xi32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @scatter_add_c3_types(%x: tensor<4xf32>, %i: tensor<2xi32>, %u: tensor<2xf16>) {
  // expected-error@+2 {{expected input and updates of one element type, but got 'f32' and 'f16'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.scatter_add %x, %i, %u dim = 0 : (tensor<4xf32>, tensor<2xi32>, tensor<2xf16>) -> tensor<4xf32>
  return
}

// -----

func.func @one_hot_c1_depth(%i: tensor<4xi32>) {
  // expected-error@+2 {{expected a size from 1 to the largest 'i32' for these indices, but got 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.one_hot %i depth = 0 : (tensor<4xi32>) -> tensor<4x1xf32>
  return
}

// -----

func.func @tril_c1_rank(%x: tensor<4xf32>) {
  // expected-error@+2 {{expected matrices, of rank 2 or more, but got 4}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.tril %x : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @triu_c1_rank(%x: tensor<4xf32>) {
  // expected-error@+2 {{expected matrices, of rank 2 or more, but got 4}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.triu %x : (tensor<4xf32>) -> tensor<4xf32>
  return
}
