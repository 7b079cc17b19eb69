// One space between two words of a declaration.
// RUN: mpc-opt %s | FileCheck %s --strict-whitespace
// CHECK:{{^}}  exec.state_decl "w" parameter : memref<8xf32> init #graph.zeros{{$}}
exec.state_decl "w" parameter : memref<8xf32> init #graph.zeros
// CHECK:{{^}}  exec.state_decl "w.exp_avg" moment of "w" offset = 256 : memref<8xf32> init #graph.zeros{{$}}
exec.state_decl "w.exp_avg" moment of "w" offset = 256 : memref<8xf32> init #graph.zeros
