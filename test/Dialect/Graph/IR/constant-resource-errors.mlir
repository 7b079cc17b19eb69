// The bytes of a resource stand apart from its type; nothing may read more of
// them than there are, or make up what is missing.
// RUN: mpc-opt %s --verify-diagnostics --split-input-file

func.func @constant_c2_long() {
  // expected-error@+1 {{expected 8 bytes for 'tensor<2xf32>', but resource 'long' has 12}}
  %0 = graph.constant dense_resource<long> : tensor<2xf32>
  return
}
{-# dialect_resources: { builtin: { long: "0x040000000000803F0000803F0000803F" } } #-}

// -----

func.func @constant_c2_short() {
  // expected-error@+1 {{expected 16 bytes for 'tensor<4x2xf16>', but resource 'short' has 3}}
  %0 = graph.constant dense_resource<short> : tensor<4x2xf16>
  return
}
{-# dialect_resources: { builtin: { short: "0x04000000000080" } } #-}

// -----

// An i1 is one byte.
func.func @constant_c2_packed() {
  // expected-error@+1 {{expected 8 bytes for 'tensor<8xi1>', but resource 'packed' has 1}}
  %0 = graph.constant dense_resource<packed> : tensor<8xi1>
  return
}
{-# dialect_resources: { builtin: { packed: "0x01000000FF" } } #-}

// -----

func.func @constant_c2_bool() {
  // expected-error@+1 {{expected bytes 0 and 1 for i1 elements, but element 2 is 255}}
  %0 = graph.constant dense_resource<bool> : tensor<3xi1>
  return
}
{-# dialect_resources: { builtin: { bool: "0x010000000100FF" } } #-}

// -----

// Dumps leave bytes out.
func.func @elided() {
  %0 = graph.constant dense_resource<__elided__> : tensor<2xf32>
  return
}

// -----

exec.entry @exec_constant_c2 {
  // expected-error@+1 {{expected 8 bytes for 'tensor<2xf32>', but resource 'long' has 12}}
  %0 = exec.constant : memref<2xf32> = dense_resource<long> : tensor<2xf32>
}
{-# dialect_resources: { builtin: { long: "0x040000000000803F0000803F0000803F" } } #-}
