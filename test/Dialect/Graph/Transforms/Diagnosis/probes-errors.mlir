// RUN: not mpc-opt %s --mpc-insert-probes 2>&1 | FileCheck %s
// RUN: not mpc-opt %s --mpc-keep-probes 2>&1 | FileCheck %s --check-prefix=KEEP

// CHECK: error: expected an entry 'step' or 'forward' to observe, but there is none; run mpc-differentiate first
// KEEP: error: expected a function with observations, but there is none; run mpc-insert-probes first
func.func @m(%x: tensor<4xf32> {graph.input = "x"}) -> (tensor<4xf32> {graph.output = "y"}) {
  return %x : tensor<4xf32>
}
