// RUN: mpc-opt %s --verify-diagnostics --split-input-file

func.func @matmul_c1_rank(%a: tensor<4x8xf32>, %b: tensor<8xf32>) {
  // expected-error@+2 {{expected operands of rank 2 or more, but got 4x8 and 8}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.matmul %a, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @matmul_c2_contracting(%a: tensor<4x64xf32>, %b: tensor<32x8xf32>) {
  // expected-error@+2 {{expected contracting dimensions to match, but got 64 and 32 in 4x64 and 32x8}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.matmul %a, %b : (tensor<4x64xf32>, tensor<32x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @matmul_c2_transposed(%a: tensor<64x4xf32>, %b: tensor<64x8xf32>) {
  // expected-error@+2 {{expected contracting dimensions to match, but got 64 and 8 in 64x4 and 64x8}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.matmul %a, %b transpose_lhs transpose_rhs : (tensor<64x4xf32>, tensor<64x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @matmul_c3_batch(%a: tensor<2x4x8xf32>, %b: tensor<3x8x4xf32>) {
  // expected-error@+2 {{expected batch dimensions to broadcast, but got 2 and 3}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.matmul %a, %b : (tensor<2x4x8xf32>, tensor<3x8x4xf32>) -> tensor<2x4x4xf32>
  return
}

// -----

func.func @matmul_c4_types(%a: tensor<4x8xf32>, %b: tensor<8x4xf16>) {
  // expected-error@+1 {{failed to verify that all of {lhs, rhs} have same element type}}
  %0 = graph.matmul %a, %b : (tensor<4x8xf32>, tensor<8x4xf16>) -> tensor<4x4xf32>
  return
}

// -----

func.func @matmul_c5_dtype(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>) {
  // expected-error@+2 {{expected dtype f64 exactly for f64 operands, but got dtype 'f64' and operands of 'f32'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.matmul %a, %b dtype = f64 : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf64>
  return
}

// -----

func.func @matmul_dtype_f8(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>) {
  // expected-error@+1 {{attribute 'dtype' failed to satisfy constraint: type attribute of f64, f32, f16 or bf16}}
  %0 = graph.matmul %a, %b dtype = f8E4M3FN : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf8E4M3FN>
  return
}

// -----

func.func @matmul_result(%a: tensor<4x8xf16>, %b: tensor<8x4xf16>) {
  // expected-error@+2 {{inferred type(s) 'tensor<4x4xf16>' are incompatible with return type(s) of operation 'tensor<4x4xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.matmul %a, %b : (tensor<4x8xf16>, tensor<8x4xf16>) -> tensor<4x4xf32>
  return
}

// -----

func.func @matmul_c6_bias_rank(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<1x4xf32>) {
  // expected-error@+2 {{expected a bias of 4 elements, one for each column of the result, but got 'tensor<1x4xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.matmul %a, %b bias %c : (tensor<4x8xf32>, tensor<8x4xf32>, tensor<1x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @matmul_c6_bias_columns(%a: tensor<8x5xf32>, %b: tensor<4x8xf32>, %c: tensor<5xf32>) {
  // expected-error@+2 {{expected a bias of 4 elements, one for each column of the result, but got 'tensor<5xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.matmul %a, %b bias %c transpose_lhs transpose_rhs : (tensor<8x5xf32>, tensor<4x8xf32>, tensor<5xf32>) -> tensor<5x4xf32>
  return
}

// -----

func.func @matmul_c7_bias_f64(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4xf64>) {
  // expected-error@+2 {{expected a bias in f64 exactly for f64 operands, but got a bias in 'f64' and operands of 'f32'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.matmul %a, %b bias %c : (tensor<4x8xf32>, tensor<8x4xf32>, tensor<4xf64>) -> tensor<4x4xf32>
  return
}

// -----

func.func @matmul_c7_operands_f64(%a: tensor<4x8xf64>, %b: tensor<8x4xf64>, %c: tensor<4xf32>) {
  // expected-error@+2 {{expected a bias in f64 exactly for f64 operands, but got a bias in 'f32' and operands of 'f64'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.matmul %a, %b bias %c : (tensor<4x8xf64>, tensor<8x4xf64>, tensor<4xf32>) -> tensor<4x4xf64>
  return
}
