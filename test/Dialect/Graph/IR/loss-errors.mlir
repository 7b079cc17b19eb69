// RUN: mpc-opt %s --verify-diagnostics --split-input-file

func.func @cross_entropy_c1_labels(%a: tensor<64x10xf32>, %b: tensor<10xi32>) {
  // expected-error@+1 {{expected labels of shape 64, the logits' 64x10 without the classes, but got 10}}
  %0 = graph.cross_entropy %a, %b : (tensor<64x10xf32>, tensor<10xi32>) -> tensor<f32>
  return
}

// -----

func.func @cross_entropy_c2_mask(%a: tensor<64x10xf32>, %b: tensor<64xi32>, %c: tensor<10xi1>) {
  // expected-error@+1 {{expected a mask of the labels' shape 64, but got 10}}
  %0 = graph.cross_entropy %a, %b mask %c : (tensor<64x10xf32>, tensor<64xi32>, tensor<10xi1>) -> tensor<f32>
  return
}

// -----

func.func @cross_entropy_c3_ignore_index(%a: tensor<64x10xf32>, %b: tensor<64xi32>) {
  // expected-error@+1 {{expected ignore_index to fit the labels' element type 'i32', but got 2147483648}}
  %0 = graph.cross_entropy %a, %b ignore_index = 2147483648 : (tensor<64x10xf32>, tensor<64xi32>) -> tensor<f32>
  return
}

// -----

func.func @cross_entropy_c4_rank(%a: tensor<f32>, %b: tensor<i32>) {
  // expected-error@+1 {{expected logits of rank 1 or more, but got a scalar}}
  %0 = graph.cross_entropy %a, %b : (tensor<f32>, tensor<i32>) -> tensor<f32>
  return
}

// -----

func.func @cross_entropy_float_labels(%a: tensor<64x10xf32>, %b: tensor<64xf32>) {
  // expected-error@+1 {{operand #1 must be static, non-empty tensor of i64 or i32 elements, but got 'tensor<64xf32>'}}
  %0 = graph.cross_entropy %a, %b : (tensor<64x10xf32>, tensor<64xf32>) -> tensor<f32>
  return
}

// -----

func.func @cross_entropy_f16_loss(%a: tensor<64x10xf16>, %b: tensor<64xi32>) {
  // expected-error@+1 {{result #0 must be rank-0 tensor of f64 or f32, but got 'tensor<f16>'}}
  %0 = graph.cross_entropy %a, %b : (tensor<64x10xf16>, tensor<64xi32>) -> tensor<f16>
  return
}

// -----

func.func @mse_c1_shapes(%a: tensor<64x3xf32>, %b: tensor<64xf32>) {
  // expected-error@+1 {{expected prediction and target of one shape, but got 64x3 and 64}}
  %0 = graph.mse %a, %b : (tensor<64x3xf32>, tensor<64xf32>) -> tensor<f32>
  return
}

// -----

func.func @mse_c2_types(%a: tensor<64xf32>, %b: tensor<64xf16>) {
  // expected-error@+1 {{requires the same element type for all operands}}
  %0 = graph.mse %a, %b : (tensor<64xf32>, tensor<64xf16>) -> tensor<f32>
  return
}

// -----

func.func @cross_entropy_c3_negative(%a: tensor<64x10xf32>, %b: tensor<64xi32>) {
  // expected-error@+1 {{expected ignore_index to fit the labels' element type 'i32', but got -2147483649}}
  %0 = graph.cross_entropy %a, %b ignore_index = -2147483649 : (tensor<64x10xf32>, tensor<64xi32>) -> tensor<f32>
  return
}

// -----

func.func @binary_cross_entropy_c1_shapes(%a: tensor<64x3xf32>, %b: tensor<64xf32>) {
  // expected-error@+1 {{expected prediction and target of one shape, but got 64x3 and 64}}
  %0 = graph.binary_cross_entropy %a, %b : (tensor<64x3xf32>, tensor<64xf32>) -> tensor<f32>
  return
}

// -----

func.func @binary_cross_entropy_c2_types(%a: tensor<64xf32>, %b: tensor<64xf16>) {
  // expected-error@+1 {{requires the same element type for all operands}}
  %0 = graph.binary_cross_entropy %a, %b : (tensor<64xf32>, tensor<64xf16>) -> tensor<f32>
  return
}
