// RUN: mpc-opt %s --verify-diagnostics --split-input-file

func.func @max_pool_c1_rank(%x: tensor<4x8xf32>) {
  // expected-error@+2 {{expected an input of rank 3, 4 or 5 (batch, channels and space), but got 4x8}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = graph.max_pool %x kernel = [] : (tensor<4x8xf32>) -> (tensor<2x4x4x4xf32>, tensor<2x4x4x4xi32>)
  return
}

// -----

func.func @max_pool_c2_kernel(%x: tensor<2x4x8x8xf32>) {
  // expected-error@+2 {{expected 'kernel' to be 2 numbers of 1 to 2147483647, one for each dim of space, but got [3]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = graph.max_pool %x kernel = [3] : (tensor<2x4x8x8xf32>) -> (tensor<2x4x4x4xf32>, tensor<2x4x4x4xi32>)
  return
}

// -----

func.func @max_pool_c2_strides(%x: tensor<2x4x8x8xf32>) {
  // expected-error@+2 {{expected 'strides' to be 2 numbers of 1 to 2147483647, one for each dim of space, but got [2, 0]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = graph.max_pool %x kernel = [3, 3] strides = [2, 0] : (tensor<2x4x8x8xf32>) -> (tensor<2x4x4x4xf32>, tensor<2x4x4x4xi32>)
  return
}

// -----

func.func @max_pool_c2_low(%x: tensor<2x4x8x8xf32>) {
  // expected-error@+2 {{expected 'low' to be 2 numbers of 0 to 2147483647, one for each dim of space, but got [-1, 0]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = graph.max_pool %x kernel = [3, 3] low = [-1, 0] : (tensor<2x4x8x8xf32>) -> (tensor<2x4x4x4xf32>, tensor<2x4x4x4xi32>)
  return
}

// -----

func.func @max_pool_c3_same(%x: tensor<2x4x8x8xf32>) {
  // expected-error@+2 {{expected `same`, which chooses `low` and `high`, or those and `ceil`, but got both}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = graph.max_pool %x kernel = [3, 3] same ceil : (tensor<2x4x8x8xf32>) -> (tensor<2x4x4x4xf32>, tensor<2x4x4x4xi32>)
  return
}

// -----

func.func @max_pool_c4_kernel(%x: tensor<2x4x8x8xf32>) {
  // expected-error@+2 {{expected a kernel that is no longer than the input with its places beside it, but got 3x3 with dilations [1, 5] and an input of 8x8 with low = [0, 1] high = [0, 1]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = graph.max_pool %x kernel = [3, 3] low = [0, 1] high = [0, 1] dilations = [1, 5] : (tensor<2x4x8x8xf32>) -> (tensor<2x4x4x4xf32>, tensor<2x4x4x4xi32>)
  return
}

// -----

func.func @max_pool_c6_empty_window(%x: tensor<2x4x8x8xf32>) {
  // expected-error@+2 {{expected an element of the input in each window, but window 0 along dim 1 of space holds places -2 to -1 in steps of 1 beside 8 elements}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = graph.max_pool %x kernel = [2, 2] strides = [2, 2] low = [0, 2] : (tensor<2x4x8x8xf32>) -> (tensor<2x4x4x4xf32>, tensor<2x4x4x4xi32>)
  return
}

// -----

func.func @max_pool_c6_empty_between(%x: tensor<1x1x2xf32>) {
  // expected-error@+2 {{expected an element of the input in each window, but window 0 along dim 0 of space holds places -1 to 2 in steps of 3 beside 2 elements}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = graph.max_pool %x kernel = [2] low = [1] high = [1] dilations = [3] : (tensor<1x1x2xf32>) -> (tensor<2x4x4x4xf32>, tensor<2x4x4x4xi32>)
  return
}

// -----

func.func @average_pool_c1_rank(%x: tensor<4x8xf32>) {
  // expected-error@+2 {{expected an input of rank 3, 4 or 5 (batch, channels and space), but got 4x8}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.average_pool %x kernel = [] : (tensor<4x8xf32>) -> tensor<2x4x4x4xf32>
  return
}

// -----

func.func @average_pool_c2_kernel(%x: tensor<2x4x8x8xf32>) {
  // expected-error@+2 {{expected 'kernel' to be 2 numbers of 1 to 2147483647, one for each dim of space, but got [3]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.average_pool %x kernel = [3] : (tensor<2x4x8x8xf32>) -> tensor<2x4x4x4xf32>
  return
}

// -----

func.func @average_pool_c2_strides(%x: tensor<2x4x8x8xf32>) {
  // expected-error@+2 {{expected 'strides' to be 2 numbers of 1 to 2147483647, one for each dim of space, but got [2, 0]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.average_pool %x kernel = [3, 3] strides = [2, 0] : (tensor<2x4x8x8xf32>) -> tensor<2x4x4x4xf32>
  return
}

// -----

func.func @average_pool_c2_low(%x: tensor<2x4x8x8xf32>) {
  // expected-error@+2 {{expected 'low' to be 2 numbers of 0 to 2147483647, one for each dim of space, but got [-1, 0]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.average_pool %x kernel = [3, 3] low = [-1, 0] : (tensor<2x4x8x8xf32>) -> tensor<2x4x4x4xf32>
  return
}

// -----

func.func @average_pool_c3_same(%x: tensor<2x4x8x8xf32>) {
  // expected-error@+2 {{expected `same`, which chooses `low` and `high`, or those and `ceil`, but got both}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.average_pool %x kernel = [3, 3] same ceil : (tensor<2x4x8x8xf32>) -> tensor<2x4x4x4xf32>
  return
}

// -----

func.func @average_pool_c4_kernel(%x: tensor<2x4x8x8xf32>) {
  // expected-error@+2 {{expected a kernel that is no longer than the input with its places beside it, but got 3x3 with dilations [1, 5] and an input of 8x8 with low = [0, 1] high = [0, 1]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.average_pool %x kernel = [3, 3] low = [0, 1] high = [0, 1] dilations = [1, 5] : (tensor<2x4x8x8xf32>) -> tensor<2x4x4x4xf32>
  return
}

// -----

func.func @average_pool_c6_empty_window(%x: tensor<2x4x8x8xf32>) {
  // expected-error@+2 {{expected an element of the input in each window, but window 0 along dim 1 of space holds places -2 to -1 in steps of 1 beside 8 elements}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.average_pool %x kernel = [2, 2] strides = [2, 2] low = [0, 2] : (tensor<2x4x8x8xf32>) -> tensor<2x4x4x4xf32>
  return
}

// -----

func.func @average_pool_c6_empty_between(%x: tensor<1x1x2xf32>) {
  // expected-error@+2 {{expected an element of the input in each window, but window 0 along dim 0 of space holds places -1 to 2 in steps of 3 beside 2 elements}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.average_pool %x kernel = [2] low = [1] high = [1] dilations = [3] : (tensor<1x1x2xf32>) -> tensor<2x4x4x4xf32>
  return
}

// -----

func.func @max_pool_c7_elements(%x: tensor<1x1x65536x65536xbf16>) {
  // expected-error@+2 {{expected less than 2^31 places of space for an index, those beside the input counted, but got 65536x65536}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = graph.max_pool %x kernel = [2, 2] : (tensor<1x1x65536x65536xbf16>) -> (tensor<2x4x4x4xf32>, tensor<2x4x4x4xi32>)
  return
}

// -----

func.func @adaptive_max_pool_c1_rank(%x: tensor<2x4x2x2x2x2xf32>) {
  // expected-error@+2 {{expected an input of rank 3, 4 or 5 (batch, channels and space), but got 2x4x2x2x2x2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = graph.adaptive_max_pool %x sizes = [1] : (tensor<2x4x2x2x2x2xf32>) -> (tensor<2x4x4x4xf32>, tensor<2x4x4x4xi32>)
  return
}

// -----

func.func @adaptive_max_pool_c2_sizes(%x: tensor<2x4x8x8xf32>) {
  // expected-error@+2 {{expected 'sizes' to be 2 numbers of 1 to 2147483647, one for each dim of space, but got [4, 0]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = graph.adaptive_max_pool %x sizes = [4, 0] : (tensor<2x4x8x8xf32>) -> (tensor<2x4x4x4xf32>, tensor<2x4x4x4xi32>)
  return
}

// -----

func.func @adaptive_average_pool_c1_rank(%x: tensor<2x4x2x2x2x2xf32>) {
  // expected-error@+2 {{expected an input of rank 3, 4 or 5 (batch, channels and space), but got 2x4x2x2x2x2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.adaptive_average_pool %x sizes = [1] : (tensor<2x4x2x2x2x2xf32>) -> tensor<2x4x4x4xf32>
  return
}

// -----

func.func @adaptive_average_pool_c2_sizes(%x: tensor<2x4x8x8xf32>) {
  // expected-error@+2 {{expected 'sizes' to be 2 numbers of 1 to 2147483647, one for each dim of space, but got [4, 0]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.adaptive_average_pool %x sizes = [4, 0] : (tensor<2x4x8x8xf32>) -> tensor<2x4x4x4xf32>
  return
}

// -----

func.func @adaptive_max_pool_c4_elements(%x: tensor<1x1x65536x65536xbf16>) {
  // expected-error@+2 {{expected less than 2^31 places of space for an index, those beside the input counted, but got 65536x65536}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = graph.adaptive_max_pool %x sizes = [1, 1] : (tensor<1x1x65536x65536xbf16>) -> (tensor<2x4x4x4xf32>, tensor<2x4x4x4xi32>)
  return
}

// -----

func.func @max_pool_gradient_c1_rank(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error@+2 {{expected a cotangent of rank 3, 4 or 5 (batch, channels and space), but got 4}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.max_pool_gradient %x, %i sizes = [] : (tensor<4xf32>, tensor<4xi32>) -> tensor<2x4x8x8xf32>
  return
}

// -----

func.func @max_pool_gradient_c1_index(%x: tensor<2x4x4x4xf32>, %i: tensor<2x4x4x1xi32>) {
  // expected-error@+2 {{expected an index of the cotangent's shape, but got 2x4x4x1 and 2x4x4x4}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.max_pool_gradient %x, %i sizes = [8, 8] : (tensor<2x4x4x4xf32>, tensor<2x4x4x1xi32>) -> tensor<2x4x8x8xf32>
  return
}

// -----

func.func @max_pool_gradient_c2_sizes(%x: tensor<2x4x4x4xf32>, %i: tensor<2x4x4x4xi32>) {
  // expected-error@+2 {{expected 'sizes' to be 2 numbers of 1 to 2147483647, one for each dim of space, but got [8]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.max_pool_gradient %x, %i sizes = [8] : (tensor<2x4x4x4xf32>, tensor<2x4x4x4xi32>) -> tensor<2x4x8x8xf32>
  return
}

// -----

func.func @max_pool_gradient_c2_kernel(%x: tensor<2x4x4x4xf32>, %i: tensor<2x4x4x4xi32>) {
  // expected-error@+2 {{expected 'kernel' to be 2 numbers of 1 to 2147483647, one for each dim of space, but got [0, 2]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.max_pool_gradient %x, %i sizes = [8, 8] kernel = [0, 2] : (tensor<2x4x4x4xf32>, tensor<2x4x4x4xi32>) -> tensor<2x4x8x8xf32>
  return
}

// -----

func.func @max_pool_gradient_c4_elements(%x: tensor<2x4x4x4xf32>, %i: tensor<2x4x4x4xi32>) {
  // expected-error@+2 {{expected less than 2^31 places of space for an index, those beside the input counted, but got 65536x32768}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.max_pool_gradient %x, %i sizes = [65536, 32768] kernel = [2, 2] : (tensor<2x4x4x4xf32>, tensor<2x4x4x4xi32>) -> tensor<2x4x8x8xf32>
  return
}

// -----

// Less than a stride too long is all that `ceil` may be.
func.func @max_pool_c4_ceil(%x: tensor<1x1x2xf32>) {
  // expected-error@+2 {{expected a kernel that is no longer than the input with its places beside it, but got 4 with dilations [1] and an input of 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = graph.max_pool %x kernel = [4] ceil strides = [2] : (tensor<1x1x2xf32>) -> (tensor<1x1x1xf32>, tensor<1x1x1xi32>)
  return
}

// -----

func.func @max_pool_c5_far(%x: tensor<1x1x4xf32>) {
  // expected-error@+2 {{expected windows over at most 2^29 places along each dim of space, those beside the input counted, but got 2147483651}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = graph.max_pool %x kernel = [2] low = [2147483647] dilations = [2147483647] : (tensor<1x1x4xf32>) -> (tensor<1x1x4xf32>, tensor<1x1x4xi32>)
  return
}

// -----

func.func @average_pool_c5_far(%x: tensor<1x1x4xf32>) {
  // expected-error@+2 {{expected windows over at most 2^29 places along each dim of space, those beside the input counted, but got 536870913}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.average_pool %x kernel = [536870912] low = [536870909] : (tensor<1x1x4xf32>) -> tensor<1x1x2xf32>
  return
}

// -----

func.func @max_pool_c7_beside(%x: tensor<1x1x4x4xf32>) {
  // expected-error@+2 {{expected less than 2^31 places of space for an index, those beside the input counted, but got 65536x32768}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = graph.max_pool %x kernel = [65533, 32765] low = [65532, 32764] : (tensor<1x1x4x4xf32>) -> (tensor<1x1x4x4xf32>, tensor<1x1x4x4xi32>)
  return
}

// -----

func.func @adaptive_average_pool_c3_far(%x: tensor<1x1x4xf32>) {
  // expected-error@+2 {{expected windows over at most 2^29 places along each dim of space, those beside the input counted, but got 536870913}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.adaptive_average_pool %x sizes = [536870913] : (tensor<1x1x4xf32>) -> tensor<1x1x536870913xf32>
  return
}

// -----

func.func @adaptive_max_pool_c3_far(%x: tensor<1x1x536870913xf32>) {
  // expected-error@+2 {{expected windows over at most 2^29 places along each dim of space, those beside the input counted, but got 536870913}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = graph.adaptive_max_pool %x sizes = [2] : (tensor<1x1x536870913xf32>) -> (tensor<1x1x2xf32>, tensor<1x1x2xi32>)
  return
}

// -----

func.func @max_pool_gradient_c3_far(%x: tensor<1x1x4xf32>, %i: tensor<1x1x4xi32>) {
  // expected-error@+2 {{expected windows over at most 2^29 places along each dim of space, those beside the input counted, but got 805306369}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = graph.max_pool_gradient %x, %i sizes = [8] kernel = [1] strides = [268435456] : (tensor<1x1x4xf32>, tensor<1x1x4xi32>) -> tensor<1x1x8xf32>
  return
}
