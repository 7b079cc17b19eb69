// RUN: mpc-opt %s --verify-diagnostics --split-input-file

func.func @leaky_relu_c2_slope(%a: tensor<8xf32>) {
  // expected-error@+1 {{expected a finite negative_slope, in the range of 'f32', but got 0x7FF0000000000000}}
  %0 = "graph.leaky_relu"(%a) <{negative_slope = 0x7FF0000000000000 : f64}> : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @elu_c2_alpha(%a: tensor<8xf32>) {
  // expected-error@+1 {{expected a finite alpha, in the range of 'f32', but got 0x7FF0000000000000}}
  %0 = "graph.elu"(%a) <{alpha = 0x7FF0000000000000 : f64}> : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @softplus_c2_beta(%a: tensor<8xf32>) {
  // expected-error@+1 {{expected a finite beta greater than 0, in the range of 'f32', but got -1.000000e+00}}
  %0 = graph.softplus %a beta = -1.0 : tensor<8xf32>
  return
}

// -----

func.func @leaky_relu_c2_range(%a: tensor<8xbf16>) {
  // expected-error@+1 {{expected a finite negative_slope, in the range of 'f32', but got 1.000000e+300}}
  %0 = graph.leaky_relu %a negative_slope = 1.0e300 : tensor<8xbf16>
  return
}

// -----

func.func @elu_c2_range(%a: tensor<8xf32>, %b: tensor<8xf64>) {
  %0 = graph.elu %b alpha = 1.0e300 : tensor<8xf64>
  // expected-error@+1 {{expected a finite alpha, in the range of 'f32', but got 1.000000e+300}}
  %1 = graph.elu %a alpha = 1.0e300 : tensor<8xf32>
  return
}

// -----

// 1 / beta would be infinite.
func.func @softplus_c2_range(%a: tensor<8xf32>) {
  // expected-error@+1 {{expected a finite beta greater than 0, in the range of 'f32', but got 1.000000e-50}}
  %0 = graph.softplus %a beta = 1.0e-50 : tensor<8xf32>
  return
}
