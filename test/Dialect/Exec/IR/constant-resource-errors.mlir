// The bytes of a resource are those of the type: a dump that was edited may
// hold others.
// RUN: mpc-opt %s --verify-diagnostics --split-input-file

exec.entry @constant_c2_long {
  // expected-error@+1 {{expected 8 bytes for 'tensor<2xf32>', but resource 'long' has 12}}
  %c = exec.constant : memref<2xf32> = dense_resource<long> : tensor<2xf32>
}
{-# dialect_resources: { builtin: { long: "0x040000000000803F0000803F0000803F" } } #-}

// -----

exec.entry @constant_c2_short {
  // expected-error@+1 {{expected 8 bytes for 'tensor<2xf32>', but resource 'short' has 4}}
  %c = exec.constant : memref<2xf32> = dense_resource<short> : tensor<2xf32>
}
{-# dialect_resources: { builtin: { short: "0x040000000000803F" } } #-}

// -----

exec.entry @constant_c2_bool {
  // expected-error@+1 {{expected bytes 0 and 1 for i1 elements, but element 2 is 255}}
  %c = exec.constant : memref<3xi1> = dense_resource<bool> : tensor<3xi1>
}
{-# dialect_resources: { builtin: { bool: "0x010000000100FF" } } #-}
