// RUN: mpc-opt %s --mpc-convert-graph-to-exec | FileCheck %s

// The row of an observation is an output under the value's name.
// CHECK: exec.entry @probe
// CHECK: %[[X:.*]] = exec.input "x" : memref<4x4xf16>
// CHECK: %[[R:.*]] = exec.alloc {{.*}}: memref<291xf64>
// CHECK: exec.observe 0 %[[X]] to %[[R]] as "x" made_by "input" from [] : memref<4x4xf16>, memref<291xf64>
// CHECK: exec.output "x" %[[R]]
// CHECK: exec.observe 1 %[[X]] to %[[S:.*]] as "y" made_by "graph.neg" from [0] backward sink : memref<4x4xf16>, memref<291xf64>
// CHECK: exec.output "y" %[[S]]
func.func @m(%x: tensor<4x4xf16> {graph.input = "x"}) attributes {graph.entry = "probe"} {
  graph.observe 0 %x as "x" made_by "input" from [] : tensor<4x4xf16>
  graph.observe 1 %x as "y" made_by "graph.neg" from [0] backward sink : tensor<4x4xf16>
  return
}
