// Sizes that passes could not count in 64 bits, at the op that has them.
// RUN: mpc-opt %s --verify-diagnostics --split-input-file

func.func @largest(%x: tensor<1099511627776xf32>, %b: tensor<4398046511104xi1>) {
  %0 = graph.neg %x : tensor<1099511627776xf32>
  %1 = graph.reshape %b : (tensor<4398046511104xi1>) -> tensor<1048576x4194304xi1>
  return
}

// -----

func.func @one_more(%x: tensor<1099511627777xf32>) {
  // expected-error@+1 {{operand #0: expected a tensor of at most 2^42 bytes, but got 'tensor<1099511627777xf32>'}}
  %0 = graph.neg %x : tensor<1099511627777xf32>
  return
}

// -----

// 2^63 - 1 elements; as bytes of f32 they would be 2^64 - 4, which wraps to -4.
func.func @most(%x: tensor<9223372036854775807xf32>) {
  // expected-error@+1 {{operand #0: expected a tensor of at most 2^42 bytes}}
  %0 = graph.neg %x : tensor<9223372036854775807xf32>
  return
}

// -----

// 2^64 elements, which wrap to none, and 2^64 + 2^33 + 1, which wrap to few.
func.func @wraps_to_none(%x: tensor<4294967296x4294967296xf32>) {
  // expected-error@+1 {{operand #0: expected a tensor of at most 2^42 bytes}}
  %0 = graph.neg %x : tensor<4294967296x4294967296xf32>
  return
}

// -----

func.func @wraps_to_few(%x: tensor<4294967297x4294967297xf32>) {
  // expected-error@+1 {{operand #0: expected a tensor of at most 2^42 bytes}}
  %0 = graph.sum %x dims = [0, 1] : (tensor<4294967297x4294967297xf32>) -> tensor<f32>
  return
}

// -----

func.func @made_by_the_op(%x: tensor<f32>) {
  // expected-error@+1 {{result #0: expected a tensor of at most 2^42 bytes, but got 'tensor<1048576x1048577xf32>'}}
  %0 = graph.broadcast %x : (tensor<f32>) -> tensor<1048576x1048577xf32>
  return
}

// -----

func.func @padded_wraps(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{result #0: expected a tensor of at most 2^42 bytes, but got 'tensor<4294967296x4294967296xf32>'}}
  %0 = graph.pad %x low = [4294967292, 4294967292] high = [0, 0] : (tensor<4x4xf32>) -> tensor<4294967296x4294967296xf32>
  return
}

// -----

func.func @repeated_wraps(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{result #0: expected a tensor of at most 2^42 bytes, but got 'tensor<4294967296x4294967296xf32>'}}
  %0 = graph.tile %x repeats = [1073741824, 1073741824] : (tensor<4x4xf32>) -> tensor<4294967296x4294967296xf32>
  return
}

// -----

func.func @splat_wraps() {
  // expected-error@+1 {{result #0: expected a tensor of at most 2^42 bytes, but got 'tensor<4294967296x4294967296xf32>'}}
  %0 = graph.constant dense<1.0> : tensor<4294967296x4294967296xf32>
  return
}

// -----

func.func @concat_wraps(%x: tensor<9223372036854775807xi1>) {
  // expected-error@+1 {{expected a tensor of at most 2^42 bytes}}
  %0 = graph.concat %x, %x dim = 0 : (tensor<9223372036854775807xi1>, tensor<9223372036854775807xi1>) -> tensor<4xi1>
  return
}

// -----

// expected-error@+1 {{argument 0: expected a tensor of at most 2^42 bytes, but got 'tensor<1099511627777xf32>'}}
func.func @argument(%x: tensor<1099511627777xf32> {graph.input = "x"}) { return }

// -----

// 7 * 2^80 elements, which wrap to none.
// expected-error@+1 {{argument 0: expected a tensor of at most 2^42 bytes, but got 'tensor<7x1099511627776x1099511627776xf32>'}}
func.func @wrapping_argument(%x: tensor<7x1099511627776x1099511627776xf32> {graph.input = "x"}) { return }

// -----

// expected-error@+1 {{expected a tensor of at most 2^42 bytes, but got 'memref<1099511627777xf32>'}}
exec.state_decl "w" parameter : memref<1099511627777xf32> init #graph.zeros

// -----

exec.entry @buffer {
  // expected-error@+1 {{result #0: expected a tensor of at most 2^42 bytes}}
  %0 = exec.alloc : memref<1099511627777xf32>
}
