// RUN: mpc-opt %s --verify-diagnostics --split-input-file

func.func @sum_c1_rank(%a: tensor<4x8xf32>) {
  // expected-error@+2 {{expected dims to be ascending, unique and less than the rank 2, but got [0, 2]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.sum %a dims = [0, 2] : (tensor<4x8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @sum_c1_order(%a: tensor<4x8xf32>) {
  // expected-error@+2 {{expected dims to be ascending, unique and less than the rank 2, but got [1, 0]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.sum %a dims = [1, 0] : (tensor<4x8xf32>) -> tensor<f32>
  return
}

// -----

func.func @max_c1_unique(%a: tensor<4x8xf32>) {
  // expected-error@+2 {{expected dims to be ascending, unique and less than the rank 2, but got [1, 1]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.max %a dims = [1, 1] : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @mean_c1_negative(%a: tensor<4x8xf32>) {
  // expected-error@+2 {{expected dims to be ascending, unique and less than the rank 2, but got [-1]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.mean %a dims = [-1] : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @sum_c2_shape(%a: tensor<4x8xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<4x1xf32>' are incompatible with return type(s) of operation 'tensor<4xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.sum %a dims = [1] keep : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @sum_dtype_of_integers(%a: tensor<4x8xi32>) {
  // expected-error@+2 {{expected no dtype for a tensor of 'i32', but got 'f32'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.sum %a dims = [1] dtype = f32 : (tensor<4x8xi32>) -> tensor<4xf32>
  return
}

// -----

func.func @sum_dtype_integer(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{attribute 'dtype' failed to satisfy constraint: type attribute of f64, f32, f16 or bf16}}
  %0 = graph.sum %a dims = [1] dtype = i32 : (tensor<4x8xf32>) -> tensor<4xi32>
  return
}

// -----

func.func @global_norm_c1_empty() {
  // expected-error@+1 {{expected at least one input}}
  %0 = graph.global_norm : () -> tensor<f32>
  return
}

// -----

func.func @global_norm_c2_negative(%a: tensor<4xf32>) {
  // expected-error@+1 {{expected a norm_type greater than 0, but got -1.0}}
  %0 = graph.global_norm %a norm_type = -1.0 : (tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func @max_with_index_c1(%a: tensor<4x8xf32>, %i: tensor<4x8xi32>) {
  // expected-error@+2 {{expected dims to be ascending, unique and less than the rank 2, but got [2]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0, %1 = graph.max_with_index %a, %i dims = [2] : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<4xf32>, tensor<4xi32>)
  return
}

// -----

func.func @min_with_index_c2(%a: tensor<4x8xf32>, %i: tensor<8xi32>) {
  // expected-error@+2 {{expected indices of the input's shape, but got 'tensor<8xi32>' for 'tensor<4x8xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0, %1 = graph.min_with_index %a, %i dims = [1] : (tensor<4x8xf32>, tensor<8xi32>) -> (tensor<4xf32>, tensor<4xi32>)
  return
}

// -----

func.func @argmax_c1(%a: tensor<4x8xf32>) {
  // expected-error@+2 {{expected dim to be less than the rank 2 and not negative, but got -1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.argmax %a dim = -1 : (tensor<4x8xf32>) -> tensor<4xi32>
  return
}

// -----

func.func @argmin_c2(%a: tensor<2147483649xi32>) {
  // expected-error@+2 {{expected an index_type that counts 2147483649 elements, but got 'i32'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.argmin %a dim = 0 : (tensor<2147483649xi32>) -> tensor<i32>
  return
}

// -----

func.func @argmax_index_type(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{attribute 'index_type' failed to satisfy constraint}}
  %0 = graph.argmax %a dim = 1 index_type = f32 : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @var_c3_correction(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{expected a correction from 0 to 8, the number of elements reduced, but got 9}}
  %0 = graph.var %a dims = [1] correction = 9 : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @norm_c3_p(%a: tensor<4x8xf32>) {
  // expected-error@+1 {{expected p greater than 0, but got 0.0}}
  %0 = graph.norm %a dims = [1] p = 0.0 : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @any_c1_dims(%a: tensor<4x8xi1>) {
  // expected-error@+2 {{expected dims to be ascending, unique and less than the rank 2, but got [2]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.any %a dims = [2] : (tensor<4x8xi1>) -> tensor<4x8xi1>
  return
}

// -----

func.func @norm_c3_range(%a: tensor<8xf32>) {
  // expected-error@+1 {{expected p and 1/p in the range of 'f32', but got}}
  %0 = graph.norm %a dims = [0] p = 1.0e-60 : (tensor<8xf32>) -> tensor<f32>
  return
}

// -----

func.func @prod_c1_dims(%x: tensor<4x8xf32>) {
  // expected-error@+2 {{expected dims to be ascending, unique and less than the rank 2, but got [2]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.prod %x dims = [2] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @prod_dtype_of_integers(%x: tensor<4xi32>) {
  // expected-error@+2 {{expected no dtype for a tensor of 'i32', but got 'f32'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.prod %x dims = [0] dtype = f32 : (tensor<4xi32>) -> tensor<f32>
  return
}

// -----

func.func @cumsum_c1_dim(%x: tensor<4x8xf32>) {
  // expected-error@+2 {{expected dim to be less than the rank 2 and not negative, but got -1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.cumsum %x dim = -1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @partial_sum_c1_order(%x: tensor<4x8x2xf32>) {
  // expected-error@+2 {{expected dims to be the first of a tensor of rank 3, and not all, but got [1]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.partial_sum %x dims = [1] rows = 2 : (tensor<4x8x2xf32>) -> tensor<4x8x2xf32>
  return
}

// -----

func.func @partial_sum_c1_all(%x: tensor<4x8xf32>) {
  // expected-error@+2 {{expected dims to be the first of a tensor of rank 2, and not all, but got [0, 1]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.partial_sum %x dims = [0, 1] rows = 2 : (tensor<4x8xf32>) -> tensor<16xf32>
  return
}

// -----

func.func @partial_sum_c2_rows(%x: tensor<4x8xf32>) {
  // expected-error@+2 {{expected rows greater than 0, but got 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.partial_sum %x dims = [0] rows = 0 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// Sums of bf16 are f32.
func.func @partial_sum_type(%x: tensor<4x8xbf16>) {
  // expected-error@+2 {{'graph.partial_sum' op inferred type(s) 'tensor<2x8xf32>' are incompatible with return type(s) of operation 'tensor<2x8xf64>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.partial_sum %x dims = [0] rows = 3 : (tensor<4x8xbf16>) -> tensor<2x8xf64>
  return
}
