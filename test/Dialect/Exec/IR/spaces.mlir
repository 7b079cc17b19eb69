// One space between two words.
// RUN: mpc-opt %s | FileCheck %s --strict-whitespace
// CHECK:{{^}}  exec.state_decl "w" parameter : memref<8xf32> init #graph.zeros{{$}}
exec.state_decl "w" parameter : memref<8xf32> init #graph.zeros
// CHECK:{{^}}  exec.state_decl "w.exp_avg" moment of "w" offset = 256 : memref<8xf32> init #graph.zeros{{$}}
exec.state_decl "w.exp_avg" moment of "w" offset = 256 : memref<8xf32> init #graph.zeros
exec.entry @e {
  // CHECK:{{^}}    %0 = exec.alloc as output offset = 0 : memref<4xf32>{{$}}
  %a = exec.alloc as output offset = 0 : memref<4xf32>
  exec.fill %a : memref<4xf32>
}
// CHECK:{{^}}    %0 = graph.group <move> : () -> tensor<4xi32> {{{$}}
func.func @f() -> tensor<4xi32> {
  %0 = graph.group <move> : () -> tensor<4xi32> {
    %1 = graph.iota dim = 0 : tensor<4xi32>
    graph.yield %1 : tensor<4xi32>
  }
  return %0 : tensor<4xi32>
}
