// RUN: mpc-opt %s --verify-diagnostics --split-input-file

func.func @convolution_c1_rank(%x: tensor<4x8xf32>, %w: tensor<4x8xf32>) {
  // expected-error@+2 {{expected an input of rank 3, 4 or 5 (batch, channels and space) and a weight of the same rank, but got 4x8 and 4x8}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.convolution %x, %w : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @convolution_c1_ranks_differ(%x: tensor<2x4x8x8xf32>, %w: tensor<4x4x3xf32>) {
  // expected-error@+2 {{expected an input of rank 3, 4 or 5 (batch, channels and space) and a weight of the same rank, but got 2x4x8x8 and 4x4x3}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.convolution %x, %w : (tensor<2x4x8x8xf32>, tensor<4x4x3xf32>) -> tensor<2x4x6x6xf32>
  return
}

// -----

func.func @convolution_c2_strides(%x: tensor<2x4x8x8xf32>, %w: tensor<4x4x3x3xf32>) {
  // expected-error@+2 {{expected 'strides' to be 2 numbers of 1 to 2147483647, one for each dim of space, but got [2]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.convolution %x, %w strides = [2] : (tensor<2x4x8x8xf32>, tensor<4x4x3x3xf32>) -> tensor<2x4x3x3xf32>
  return
}

// -----

func.func @convolution_c2_stride_0(%x: tensor<2x4x8x8xf32>, %w: tensor<4x4x3x3xf32>) {
  // expected-error@+2 {{expected 'strides' to be 2 numbers of 1 to 2147483647, one for each dim of space, but got [1, 0]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.convolution %x, %w strides = [1, 0] : (tensor<2x4x8x8xf32>, tensor<4x4x3x3xf32>) -> tensor<2x4x3x3xf32>
  return
}

// -----

func.func @convolution_c2_low(%x: tensor<2x4x8x8xf32>, %w: tensor<4x4x3x3xf32>) {
  // expected-error@+2 {{expected 'low' to be 2 numbers of 0 to 2147483647, one for each dim of space, but got [-1, 0]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.convolution %x, %w low = [-1, 0] : (tensor<2x4x8x8xf32>, tensor<4x4x3x3xf32>) -> tensor<2x4x3x3xf32>
  return
}

// -----

func.func @convolution_c2_dilations(%x: tensor<2x4x8x8xf32>, %w: tensor<4x4x3x3xf32>) {
  // expected-error@+2 {{expected 'dilations' to be 2 numbers of 1 to 2147483647, one for each dim of space, but got [4611686018427387904, 1]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.convolution %x, %w dilations = [4611686018427387904, 1] : (tensor<2x4x8x8xf32>, tensor<4x4x3x3xf32>) -> tensor<2x4x3x3xf32>
  return
}

// -----

func.func @convolution_c3_same(%x: tensor<2x4x8x8xf32>, %w: tensor<4x4x3x3xf32>) {
  // expected-error@+2 {{expected `same`, which chooses `low` and `high`, or those, but got both}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.convolution %x, %w same low = [1, 1] : (tensor<2x4x8x8xf32>, tensor<4x4x3x3xf32>) -> tensor<2x4x8x8xf32>
  return
}

// -----

func.func @convolution_c4_groups(%x: tensor<2x4x8x8xf32>, %w: tensor<6x1x3x3xf32>) {
  // expected-error@+2 {{expected 3 groups to divide the channels of the input, but got 4}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.convolution %x, %w groups = 3 : (tensor<2x4x8x8xf32>, tensor<6x1x3x3xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @convolution_c4_groups_of_result(%x: tensor<2x4x8x8xf32>, %w: tensor<5x2x3x3xf32>) {
  // expected-error@+2 {{expected 2 groups to divide the channels of the result, but got 5}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.convolution %x, %w groups = 2 : (tensor<2x4x8x8xf32>, tensor<5x2x3x3xf32>) -> tensor<2x5x6x6xf32>
  return
}

// -----

func.func @convolution_c4_groups_0(%x: tensor<2x4x8x8xf32>, %w: tensor<5x2x3x3xf32>) {
  // expected-error@+2 {{expected 1 or more groups, but got 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.convolution %x, %w groups = 0 : (tensor<2x4x8x8xf32>, tensor<5x2x3x3xf32>) -> tensor<2x5x6x6xf32>
  return
}

// -----

func.func @convolution_c4_channels(%x: tensor<2x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error@+2 {{expected a weight with the 2 input channels of a group in dim 1, but got 6x4x3x3 beside 4 channels of the input and 2 groups}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.convolution %x, %w groups = 2 : (tensor<2x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @convolution_c4_channels_last(%x: tensor<2x8x8x4xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error@+2 {{expected a weight with the 4 input channels of a group in dim 3, but got 6x4x3x3 beside 4 channels of the input and 1 groups}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.convolution %x, %w channels_last : (tensor<2x8x8x4xf32>, tensor<6x4x3x3xf32>) -> tensor<2x6x6x6xf32>
  return
}

// -----

func.func @convolution_c5_kernel(%x: tensor<2x4x8x3xf32>, %w: tensor<4x4x3x3xf32>) {
  // expected-error@+2 {{expected a kernel that is no longer than the input with its zeros, but got 3x3 with dilations [1, 2] and an input of 8x3 with low = [0, 1] high = [0, 0]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.convolution %x, %w low = [0, 1] dilations = [1, 2] : (tensor<2x4x8x3xf32>, tensor<4x4x3x3xf32>) -> tensor<2x4x6x1xf32>
  return
}

// -----

func.func @convolution_c6_types(%x: tensor<2x4x8x8xf32>, %w: tensor<4x4x3x3xbf16>) {
  // expected-error@+1 {{failed to verify that all of {input, weight} have same element type}}
  %0 = graph.convolution %x, %w : (tensor<2x4x8x8xf32>, tensor<4x4x3x3xbf16>) -> tensor<2x4x6x6xf32>
  return
}

// -----

func.func @convolution_c6_dtype(%x: tensor<2x4x8x8xf32>, %w: tensor<4x4x3x3xf32>) {
  // expected-error@+2 {{expected dtype f64 exactly for f64 operands, but got dtype 'f64' and operands of 'f32'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.convolution %x, %w dtype = f64 : (tensor<2x4x8x8xf32>, tensor<4x4x3x3xf32>) -> tensor<2x4x6x6xf64>
  return
}

// -----

func.func @transposed_convolution_c1_rank(%x: tensor<4x8xf32>, %w: tensor<4x8xf32>) {
  // expected-error@+2 {{expected an input of rank 3, 4 or 5 (batch, channels and space) and a weight of the same rank, but got 4x8 and 4x8}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.transposed_convolution %x, %w : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @transposed_convolution_c2_strides(%x: tensor<2x4x8xf32>, %w: tensor<4x4x3xf32>) {
  // expected-error@+2 {{expected 'strides' to be 1 numbers of 1 to 2147483647, one for each dim of space, but got [1, 1]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.transposed_convolution %x, %w strides = [1, 1] : (tensor<2x4x8xf32>, tensor<4x4x3xf32>) -> tensor<2x4x10xf32>
  return
}

// -----

func.func @transposed_convolution_c3_groups(%x: tensor<2x4x8xf32>, %w: tensor<4x4x3xf32>) {
  // expected-error@+2 {{expected 3 groups to divide the channels of the input, but got 4}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.transposed_convolution %x, %w groups = 3 : (tensor<2x4x8xf32>, tensor<4x4x3xf32>) -> tensor<2x12x10xf32>
  return
}

// -----

func.func @transposed_convolution_c3_channels(%x: tensor<2x4x8xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error@+2 {{expected a weight with the 4 channels of the input in dim 0, but got 6x4x3}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.transposed_convolution %x, %w : (tensor<2x4x8xf32>, tensor<6x4x3xf32>) -> tensor<2x4x10xf32>
  return
}

// -----

func.func @transposed_convolution_c4_sizes(%x: tensor<2x4x8xf32>, %w: tensor<4x4x3xf32>) {
  // expected-error@+2 {{expected sizes of which a convolution makes 8, the input's, but got 19, of which it makes 9}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.transposed_convolution %x, %w sizes = [19] strides = [2] : (tensor<2x4x8xf32>, tensor<4x4x3xf32>) -> tensor<2x4x19xf32>
  return
}

// -----

func.func @transposed_convolution_c4_cut_off(%x: tensor<2x4x1xf32>, %w: tensor<4x4x3xf32>) {
  // expected-error@+2 {{expected a result with an element left in each dim of space, but `low` of 2 and `high` of 1 cut off all of it; got an input of 1 and a kernel of 3}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.transposed_convolution %x, %w low = [2] high = [1] : (tensor<2x4x1xf32>, tensor<4x4x3xf32>) -> tensor<2x4x1xf32>
  return
}

// -----

func.func @transposed_convolution_c5_types(%x: tensor<2x4x8xf32>, %w: tensor<4x4x3xf16>) {
  // expected-error@+1 {{failed to verify that all of {input, weight} have same element type}}
  %0 = graph.transposed_convolution %x, %w : (tensor<2x4x8xf32>, tensor<4x4x3xf16>) -> tensor<2x4x10xf32>
  return
}

// -----

func.func @convolution_weight_gradient_c1_rank(%x: tensor<2x4x8xf32>, %y: tensor<2x4x8x8xf32>) {
  // expected-error@+2 {{expected an input of rank 3, 4 or 5 (batch, channels and space) and a cotangent of the same rank, but got 2x4x8 and 2x4x8x8}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.convolution_weight_gradient %x, %y kernel = [1] : (tensor<2x4x8xf32>, tensor<2x4x8x8xf32>) -> tensor<4x4x1xf32>
  return
}

// -----

func.func @convolution_weight_gradient_c2_kernel(%x: tensor<2x4x8xf32>, %y: tensor<2x4x8xf32>) {
  // expected-error@+2 {{expected 'kernel' to be 1 numbers of 1 to 2147483647, one for each dim of space, but got [0]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.convolution_weight_gradient %x, %y kernel = [0] : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<4x4x1xf32>
  return
}

// -----

func.func @convolution_weight_gradient_c3_groups(%x: tensor<2x4x8xf32>, %y: tensor<2x3x8xf32>) {
  // expected-error@+2 {{expected 2 groups to divide the channels of the cotangent, but got 3}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.convolution_weight_gradient %x, %y kernel = [1] groups = 2 : (tensor<2x4x8xf32>, tensor<2x3x8xf32>) -> tensor<3x2x1xf32>
  return
}

// -----

func.func @convolution_weight_gradient_c4_sizes(%x: tensor<2x4x8xf32>, %y: tensor<2x3x8xf32>) {
  // expected-error@+2 {{expected a cotangent of 2x3x6, as the convolution's result is, but got 2x3x8}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.convolution_weight_gradient %x, %y kernel = [3] : (tensor<2x4x8xf32>, tensor<2x3x8xf32>) -> tensor<3x4x3xf32>
  return
}

// -----

func.func @convolution_weight_gradient_c4_kernel(%x: tensor<2x4x2xf32>, %y: tensor<2x3x1xf32>) {
  // expected-error@+2 {{expected a kernel that is no longer than the input with its zeros, but got 3 with dilations [1] and an input of 2 with low = [0] high = [0]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.convolution_weight_gradient %x, %y kernel = [3] : (tensor<2x4x2xf32>, tensor<2x3x1xf32>) -> tensor<3x4x3xf32>
  return
}

// -----

func.func @convolution_weight_gradient_c5_dtype(%x: tensor<2x4x8xf32>, %y: tensor<2x3x8xf32>) {
  // expected-error@+2 {{expected dtype f64 exactly for f64 operands, but got dtype 'f64' and operands of 'f32'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.convolution_weight_gradient %x, %y kernel = [1] dtype = f64 : (tensor<2x4x8xf32>, tensor<2x3x8xf32>) -> tensor<3x4x1xf64>
  return
}

// -----

func.func @convolution_c7_bias(%x: tensor<2x4x8xf32>, %w: tensor<6x2x3xf32>, %b: tensor<4xf32>) {
  // expected-error@+2 {{expected a bias of 6 elements, one for each channel of the result, but got 'tensor<4xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.convolution %x, %w bias %b groups = 2 : (tensor<2x4x8xf32>, tensor<6x2x3xf32>, tensor<4xf32>) -> tensor<2x6x6xf32>
  return
}

// -----

func.func @convolution_c7_bias_rank(%x: tensor<2x4x8xf32>, %w: tensor<6x4x3xf32>, %b: tensor<6x1xf32>) {
  // expected-error@+2 {{expected a bias of 6 elements, one for each channel of the result, but got 'tensor<6x1xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.convolution %x, %w bias %b : (tensor<2x4x8xf32>, tensor<6x4x3xf32>, tensor<6x1xf32>) -> tensor<2x6x6xf32>
  return
}

// -----

func.func @convolution_c8_bias_f64(%x: tensor<2x4x8xf16>, %w: tensor<6x4x3xf16>, %b: tensor<6xf64>) {
  // expected-error@+2 {{expected a bias in f64 exactly for f64 operands, but got a bias in 'f64' and operands of 'f16'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.convolution %x, %w bias %b : (tensor<2x4x8xf16>, tensor<6x4x3xf16>, tensor<6xf64>) -> tensor<2x6x6xf16>
  return
}

// -----

func.func @transposed_convolution_c6_bias(%x: tensor<2x4x8xf32>, %w: tensor<4x3x3xf32>, %b: tensor<4xf32>) {
  // expected-error@+2 {{expected a bias of 6 elements, one for each channel of the result, but got 'tensor<4xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.transposed_convolution %x, %w bias %b groups = 2 : (tensor<2x4x8xf32>, tensor<4x3x3xf32>, tensor<4xf32>) -> tensor<2x6x10xf32>
  return
}

// -----

func.func @transposed_convolution_c7_bias_f64(%x: tensor<2x4x8xf64>, %w: tensor<4x3x3xf64>, %b: tensor<3xf32>) {
  // expected-error@+2 {{expected a bias in f64 exactly for f64 operands, but got a bias in 'f32' and operands of 'f64'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.transposed_convolution %x, %w bias %b : (tensor<2x4x8xf64>, tensor<4x3x3xf64>, tensor<3xf32>) -> tensor<2x3x10xf64>
  return
}
