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
  // expected-error@+1 {{result #0 must be static, non-empty tensor of f64 or f32 elements, but got 'tensor<f16>'}}
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

// -----

func.func @l1_c1_shapes(%a: tensor<64x3xf32>, %b: tensor<64xf32>) {
  // expected-error@+1 {{expected prediction and target of one shape, but got 64x3 and 64}}
  %0 = graph.l1 %a, %b : (tensor<64x3xf32>, tensor<64xf32>) -> tensor<f32>
  return
}

// -----

func.func @l1_c2_types(%a: tensor<64xf32>, %b: tensor<64xf16>) {
  // expected-error@+1 {{requires the same element type for all operands}}
  %0 = graph.l1 %a, %b : (tensor<64xf32>, tensor<64xf16>) -> tensor<f32>
  return
}

// -----

func.func @smooth_l1_c1_shapes(%a: tensor<64x3xf32>, %b: tensor<64xf32>) {
  // expected-error@+1 {{expected prediction and target of one shape, but got 64x3 and 64}}
  %0 = graph.smooth_l1 %a, %b : (tensor<64x3xf32>, tensor<64xf32>) -> tensor<f32>
  return
}

// -----

func.func @smooth_l1_c2_types(%a: tensor<64xf32>, %b: tensor<64xf16>) {
  // expected-error@+1 {{requires the same element type for all operands}}
  %0 = graph.smooth_l1 %a, %b : (tensor<64xf32>, tensor<64xf16>) -> tensor<f32>
  return
}

// -----

func.func @huber_c1_shapes(%a: tensor<64x3xf32>, %b: tensor<64xf32>) {
  // expected-error@+1 {{expected prediction and target of one shape, but got 64x3 and 64}}
  %0 = graph.huber %a, %b : (tensor<64x3xf32>, tensor<64xf32>) -> tensor<f32>
  return
}

// -----

func.func @huber_c2_types(%a: tensor<64xf32>, %b: tensor<64xf16>) {
  // expected-error@+1 {{requires the same element type for all operands}}
  %0 = graph.huber %a, %b : (tensor<64xf32>, tensor<64xf16>) -> tensor<f32>
  return
}

// -----

func.func @kl_div_c1_shapes(%a: tensor<64x3xf32>, %b: tensor<64xf32>) {
  // expected-error@+1 {{expected prediction and target of one shape, but got 64x3 and 64}}
  %0 = graph.kl_div %a, %b : (tensor<64x3xf32>, tensor<64xf32>) -> tensor<f32>
  return
}

// -----

func.func @kl_div_c2_types(%a: tensor<64xf32>, %b: tensor<64xf16>) {
  // expected-error@+1 {{requires the same element type for all operands}}
  %0 = graph.kl_div %a, %b : (tensor<64xf32>, tensor<64xf16>) -> tensor<f32>
  return
}

// -----

func.func @binary_cross_entropy_with_logits_c1_shapes(%a: tensor<64x3xf32>, %b: tensor<64xf32>) {
  // expected-error@+1 {{expected logits and target of one shape, but got 64x3 and 64}}
  %0 = graph.binary_cross_entropy_with_logits %a, %b : (tensor<64x3xf32>, tensor<64xf32>) -> tensor<f32>
  return
}

// -----

func.func @binary_cross_entropy_with_logits_c2_types(%a: tensor<64xf32>, %b: tensor<64xf16>) {
  // expected-error@+1 {{requires the same element type for all operands}}
  %0 = graph.binary_cross_entropy_with_logits %a, %b : (tensor<64xf32>, tensor<64xf16>) -> tensor<f32>
  return
}

// -----

func.func @binary_cross_entropy_with_logits_c3_pos_weight(%a: tensor<64xf32>, %b: tensor<64xf32>, %c: tensor<3xf32>) {
  // expected-error@+1 {{expected a pos_weight that broadcasts to the logits' shape 64, but got 3}}
  %0 = graph.binary_cross_entropy_with_logits %a, %b pos_weight %c : (tensor<64xf32>, tensor<64xf32>, tensor<3xf32>) -> tensor<f32>
  return
}

// -----

func.func @binary_cross_entropy_with_logits_c3_wider(%a: tensor<64xf32>, %b: tensor<64xf32>, %c: tensor<2x64xf32>) {
  // expected-error@+1 {{expected a pos_weight that broadcasts to the logits' shape 64, but got 2x64}}
  %0 = graph.binary_cross_entropy_with_logits %a, %b pos_weight %c : (tensor<64xf32>, tensor<64xf32>, tensor<2x64xf32>) -> tensor<f32>
  return
}

// -----

func.func @smooth_l1_c3_beta(%a: tensor<64xf32>, %b: tensor<64xf32>) {
  // expected-error@+1 {{expected beta to be finite and not negative, but got -1}}
  %0 = graph.smooth_l1 %a, %b beta = -1.0 : (tensor<64xf32>, tensor<64xf32>) -> tensor<f32>
  return
}

// -----

func.func @huber_c3_delta(%a: tensor<64xf32>, %b: tensor<64xf32>) {
  // expected-error@+1 {{expected delta to be finite and greater than 0, but got 0}}
  %0 = graph.huber %a, %b delta = 0.0 : (tensor<64xf32>, tensor<64xf32>) -> tensor<f32>
  return
}

// -----

func.func @cross_entropy_c5_weight(%a: tensor<64x10xf32>, %b: tensor<64xi32>, %c: tensor<64xf32>) {
  // expected-error@+1 {{expected a weight of shape 10, the classes, but got 64}}
  %0 = graph.cross_entropy %a, %b weight %c : (tensor<64x10xf32>, tensor<64xi32>, tensor<64xf32>) -> tensor<f32>
  return
}

// -----

func.func @cross_entropy_c6_epsilon(%a: tensor<64x10xf32>, %b: tensor<64xi32>) {
  // expected-error@+1 {{expected epsilon to be finite and not negative, but got -1}}
  %0 = graph.cross_entropy %a, %b epsilon = -1.0 : (tensor<64x10xf32>, tensor<64xi32>) -> tensor<f32>
  return
}

// -----

func.func @cross_entropy_c7_smoothing(%a: tensor<64x10xf32>, %b: tensor<64xi32>) {
  // expected-error@+1 {{expected label_smoothing from 0 to 1, but got 1.5}}
  %0 = graph.cross_entropy %a, %b label_smoothing = 1.5 : (tensor<64x10xf32>, tensor<64xi32>) -> tensor<f32>
  return
}

// -----

func.func @cross_entropy_none(%a: tensor<64x10xf32>, %b: tensor<64xi32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<64xf32>' are incompatible with return type(s) of operation 'tensor<f32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.cross_entropy %a, %b reduction = <none> : (tensor<64x10xf32>, tensor<64xi32>) -> tensor<f32>
  return
}

// -----

func.func @nll_c1_labels(%a: tensor<64x10xf32>, %b: tensor<10xi32>) {
  // expected-error@+1 {{expected labels of shape 64, the log-probabilities' 64x10 without the classes, but got 10}}
  %0 = graph.nll %a, %b : (tensor<64x10xf32>, tensor<10xi32>) -> tensor<f32>
  return
}

// -----

func.func @nll_c2_mask(%a: tensor<64x10xf32>, %b: tensor<64xi32>, %c: tensor<10xf32>) {
  // expected-error@+1 {{expected a mask of the labels' shape 64, but got 10}}
  %0 = graph.nll %a, %b mask %c : (tensor<64x10xf32>, tensor<64xi32>, tensor<10xf32>) -> tensor<f32>
  return
}

// -----

func.func @nll_c3_ignore_index(%a: tensor<64x10xf32>, %b: tensor<64xi32>) {
  // expected-error@+1 {{expected ignore_index to fit the labels' element type 'i32', but got 2147483648}}
  %0 = graph.nll %a, %b ignore_index = 2147483648 : (tensor<64x10xf32>, tensor<64xi32>) -> tensor<f32>
  return
}

// -----

func.func @nll_c4_rank(%a: tensor<f32>, %b: tensor<i32>) {
  // expected-error@+1 {{expected log-probabilities of rank 1 or more, but got a scalar}}
  %0 = graph.nll %a, %b : (tensor<f32>, tensor<i32>) -> tensor<f32>
  return
}

// -----

func.func @nll_c5_weight(%a: tensor<64x10xf32>, %b: tensor<64xi32>, %c: tensor<1x10xf32>) {
  // expected-error@+1 {{expected a weight of shape 10, the classes, but got 1x10}}
  %0 = graph.nll %a, %b weight %c : (tensor<64x10xf32>, tensor<64xi32>, tensor<1x10xf32>) -> tensor<f32>
  return
}

// -----

func.func @nll_c6_epsilon(%a: tensor<64x10xf32>, %b: tensor<64xi32>) {
  // expected-error@+1 {{expected epsilon to be finite and not negative, but got -1}}
  %0 = graph.nll %a, %b epsilon = -1.0 : (tensor<64x10xf32>, tensor<64xi32>) -> tensor<f32>
  return
}

// -----

func.func @soft_cross_entropy_c1_shapes(%a: tensor<64x10xf32>, %b: tensor<64xf32>) {
  // expected-error@+1 {{expected logits and target of one shape, but got 64x10 and 64}}
  %0 = graph.soft_cross_entropy %a, %b : (tensor<64x10xf32>, tensor<64xf32>) -> tensor<f32>
  return
}

// -----

func.func @soft_cross_entropy_c1_rank(%a: tensor<f32>, %b: tensor<f32>) {
  // expected-error@+1 {{expected logits of rank 1 or more, but got a scalar}}
  %0 = graph.soft_cross_entropy %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @soft_cross_entropy_c2_weight(%a: tensor<64x10xf32>, %b: tensor<64x10xf32>, %c: tensor<9xf32>) {
  // expected-error@+1 {{expected a weight of shape 10, the classes, but got 9}}
  %0 = graph.soft_cross_entropy %a, %b weight %c : (tensor<64x10xf32>, tensor<64x10xf32>, tensor<9xf32>) -> tensor<f32>
  return
}

// -----

func.func @soft_cross_entropy_c3_smoothing(%a: tensor<64x10xf32>, %b: tensor<64x10xf32>) {
  // expected-error@+1 {{expected label_smoothing from 0 to 1, but got -}}
  %0 = graph.soft_cross_entropy %a, %b label_smoothing = -0.5 : (tensor<64x10xf32>, tensor<64x10xf32>) -> tensor<f32>
  return
}
