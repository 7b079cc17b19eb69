// The reason of a cast outlives every form that a module is written in.
// RUN: mpc-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: mpc-opt %s --mlir-print-op-generic | mpc-opt | FileCheck %s
// RUN: mpc-opt %s --emit-bytecode | mpc-opt | FileCheck %s

// GENERIC: "graph.cast"(%{{.*}}) <{reason = "allow: matmul runs in f16"}>
// GENERIC: "graph.cast"(%{{.*}}) <{reason}>
// CHECK: graph.cast %{{[^ ]*}} because "allow: matmul runs in f16" :
// CHECK: graph.cast %{{[^ ]*}} :
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.cast %x because "allow: matmul runs in f16" : (tensor<4xf32>) -> tensor<4xf16>
  %1 = graph.cast %0 : (tensor<4xf16>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
