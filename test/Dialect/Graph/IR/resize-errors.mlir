// RUN: mpc-opt %s --verify-diagnostics --split-input-file

func.func @resize_nearest_c1_rank(%x: tensor<8xf32>) {
  // expected-error@+2 {{expected an input of rank 3, 4 or 5 (batch, channels and space), but got 8}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.resize_nearest %x sizes = [] : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @resize_nearest_c2_sizes(%x: tensor<2x4x8x8xf32>) {
  // expected-error@+2 {{expected 'sizes' to be 2 numbers of 1 to 2147483647, one for each dim of space, but got [16]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.resize_nearest %x sizes = [16] : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  return
}

// -----

func.func @resize_nearest_c3_scales(%x: tensor<2x4x8x8xf32>) {
  // expected-error@+2 {{expected 'scales' to be 2 finite numbers greater than 0, one for each dim of space, but got [2, 0]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.resize_nearest %x sizes = [16, 8] scales = [2.0, 0.0] : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  return
}

// -----

func.func @resize_nearest_c4_words(%x: tensor<2x4x8x8xf32>) {
  // expected-error@+2 {{expected one of `align_corners`, `asymmetric` and `pytorch_half_pixel`, but got several}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.resize_nearest %x sizes = [16, 8] align_corners asymmetric : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  return
}

// -----

func.func @resize_linear_c1_rank(%x: tensor<8xf32>) {
  // expected-error@+2 {{expected an input of rank 3, 4 or 5 (batch, channels and space), but got 8}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.resize_linear %x sizes = [] : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @resize_linear_c2_sizes(%x: tensor<2x4x8x8xf32>) {
  // expected-error@+2 {{expected 'sizes' to be 2 numbers of 1 to 2147483647, one for each dim of space, but got [16]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.resize_linear %x sizes = [16] : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  return
}

// -----

func.func @resize_linear_c3_scales(%x: tensor<2x4x8x8xf32>) {
  // expected-error@+2 {{expected 'scales' to be 2 finite numbers greater than 0, one for each dim of space, but got [2, 0]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.resize_linear %x sizes = [16, 8] scales = [2.0, 0.0] : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  return
}

// -----

func.func @resize_linear_c4_words(%x: tensor<2x4x8x8xf32>) {
  // expected-error@+2 {{expected one of `align_corners`, `asymmetric` and `pytorch_half_pixel`, but got several}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.resize_linear %x sizes = [16, 8] align_corners asymmetric : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  return
}

// -----

func.func @resize_cubic_c1_rank(%x: tensor<8xf32>) {
  // expected-error@+2 {{expected an input of rank 3, 4 or 5 (batch, channels and space), but got 8}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.resize_cubic %x sizes = [] : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @resize_cubic_c2_sizes(%x: tensor<2x4x8x8xf32>) {
  // expected-error@+2 {{expected 'sizes' to be 2 numbers of 1 to 2147483647, one for each dim of space, but got [16]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.resize_cubic %x sizes = [16] : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  return
}

// -----

func.func @resize_cubic_c3_scales(%x: tensor<2x4x8x8xf32>) {
  // expected-error@+2 {{expected 'scales' to be 2 finite numbers greater than 0, one for each dim of space, but got [2, 0]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.resize_cubic %x sizes = [16, 8] scales = [2.0, 0.0] : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  return
}

// -----

func.func @resize_cubic_c4_words(%x: tensor<2x4x8x8xf32>) {
  // expected-error@+2 {{expected one of `align_corners`, `asymmetric` and `pytorch_half_pixel`, but got several}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.resize_cubic %x sizes = [16, 8] align_corners asymmetric : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  return
}

// -----

func.func @resize_nearest_c5_words(%x: tensor<2x4x8x8xf32>) {
  // expected-error@+2 {{expected one of `floor`, `ceil` and `prefer_ceil`, but got several}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.resize_nearest %x sizes = [16, 8] floor ceil : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  return
}

// -----

func.func @resize_gradient_c1_rank(%x: tensor<8xf32>) {
  // expected-error@+2 {{expected a cotangent of rank 3, 4 or 5 (batch, channels and space), but got 8}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.resize_gradient %x sizes = [] : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @resize_gradient_c2_sizes(%x: tensor<2x4x8x8xf32>) {
  // expected-error@+2 {{expected 'sizes' to be 2 numbers of 1 to 2147483647, one for each dim of space, but got [16]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.resize_gradient %x sizes = [16] : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  return
}

// -----

func.func @resize_gradient_c3_scales(%x: tensor<2x4x8x8xf32>) {
  // expected-error@+2 {{expected 'scales' to be 2 finite numbers greater than 0, one for each dim of space, but got [2]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.resize_gradient %x sizes = [16, 8] scales = [2.0] : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  return
}

// -----

func.func @resize_gradient_c4_words(%x: tensor<2x4x8x8xf32>) {
  // expected-error@+2 {{expected one of `align_corners`, `asymmetric` and `pytorch_half_pixel`, but got several}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.resize_gradient %x sizes = [16, 8] asymmetric pytorch_half_pixel : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  return
}

// -----

func.func @resize_gradient_c5_words(%x: tensor<2x4x8x8xf32>) {
  // expected-error@+2 {{expected one of `linear`, `cubic`, `floor`, `ceil` and `prefer_ceil`, but got several}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.resize_gradient %x sizes = [16, 8] linear cubic : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  return
}

// -----

func.func @pixel_shuffle_c1_rank(%x: tensor<8x8xf32>) {
  // expected-error@+2 {{expected an input of rank 3, 4 or 5 (batch, channels and space), but got 8x8}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.pixel_shuffle %x factor = 2 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @pixel_shuffle_c1_factor(%x: tensor<2x4x8x8xf32>) {
  // expected-error@+2 {{expected a factor of 1 or more, and blocks of less than 2^63 elements, but got a factor of 0 along 2 dims}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.pixel_shuffle %x factor = 0 : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  return
}

// -----

func.func @pixel_unshuffle_c1_rank(%x: tensor<8x8xf32>) {
  // expected-error@+2 {{expected an input of rank 3, 4 or 5 (batch, channels and space), but got 8x8}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.pixel_unshuffle %x factor = 2 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @pixel_unshuffle_c1_factor(%x: tensor<2x4x8x8xf32>) {
  // expected-error@+2 {{expected a factor of 1 or more, and blocks of less than 2^63 elements, but got a factor of 0 along 2 dims}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.pixel_unshuffle %x factor = 0 : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  return
}

// -----

func.func @pixel_shuffle_c2_channels(%x: tensor<2x4x8x8xf32>) {
  // expected-error@+2 {{expected channels that 9, the elements of a block, divides, but got 4}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.pixel_shuffle %x factor = 3 : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  return
}

// -----

func.func @pixel_unshuffle_c2_space(%x: tensor<2x4x8x8xf32>) {
  // expected-error@+2 {{expected sizes of space that 3 divides, but got 8 along dim 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.pixel_unshuffle %x factor = 3 : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  return
}
