// A gather is part of the kernel that reads it: where an operand lies is then
// said by a value of the body. What it reads from must be stored.
// RUN: mpc-opt %s --mpc-group --mpc-verify-group --split-input-file | FileCheck %s

// Two embeddings, their sum and what normalises it: one kernel.
// CHECK-LABEL: func.func @embed(
// CHECK-NEXT: graph.group <row> %arg0, %arg2, %arg1 :
// CHECK: graph.gather
// CHECK: graph.iota
// CHECK: graph.gather
// CHECK: graph.add
// CHECK: graph.max
// CHECK: graph.yield
// CHECK-NOT: graph.group
func.func @embed(%t: tensor<50x32xf32>, %p: tensor<8x32xf32>, %i: tensor<4x8xi32>) -> tensor<4x8x1xf32> {
  %j = graph.iota dim = 1 : tensor<4x8xi32>
  %a = graph.gather %t, %i dim = 0 : (tensor<50x32xf32>, tensor<4x8xi32>) -> tensor<4x8x32xf32>
  %b = graph.gather %p, %j dim = 0 : (tensor<8x32xf32>, tensor<4x8xi32>) -> tensor<4x8x32xf32>
  %x = graph.add %a, %b : (tensor<4x8x32xf32>, tensor<4x8x32xf32>) -> tensor<4x8x32xf32>
  %m = graph.max %x dims = [2] keep : (tensor<4x8x32xf32>) -> tensor<4x8x1xf32>
  return %m : tensor<4x8x1xf32>
}

// -----
// The table is computed: a kernel before it. The indices are: they go along.
// CHECK-LABEL: func.func @computed(
// CHECK: graph.group <row>
// CHECK: graph.exp
// CHECK: graph.yield
// CHECK: graph.group <row>
// CHECK: graph.add
// CHECK: graph.gather
// CHECK: graph.yield
func.func @computed(%t: tensor<50x32xf32>, %i: tensor<7xi32>) -> tensor<7x32xf32> {
  %e = graph.exp %t : tensor<50x32xf32>
  %j = graph.add %i, %i : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi32>
  %a = graph.gather %e, %j dim = 0 : (tensor<50x32xf32>, tensor<7xi32>) -> tensor<7x32xf32>
  return %a : tensor<7x32xf32>
}

// -----
// A segment sum is a kernel of its own.
// CHECK-LABEL: func.func @sum(
// CHECK: graph.group <row>
// CHECK: graph.exp
// CHECK: graph.yield
// CHECK: graph.group <move>
// CHECK-NEXT: ^bb0
// CHECK-NEXT: graph.segment_sum
// CHECK-NEXT: graph.yield
// CHECK: graph.group <row>
// CHECK: graph.neg
func.func @sum(%x: tensor<7x32xf32>, %i: tensor<7xi32>) -> tensor<50x32xf32> {
  %e = graph.exp %x : tensor<7x32xf32>
  %s = graph.segment_sum %e, %i dim = 0 size = 50 : (tensor<7x32xf32>, tensor<7xi32>) -> tensor<50x32xf32>
  %n = graph.neg %s : tensor<50x32xf32>
  return %n : tensor<50x32xf32>
}
