// RUN: mpc-opt %s --mpc-convert-graph-to-exec | FileCheck %s

// What a call reads in place is a view of what it lies in.
// CHECK-LABEL: exec.entry @forward
// CHECK: %[[X:.*]] = exec.input "x" : memref<2x16x3x4x8xf16>
// CHECK: %[[V:.*]] = exec.view %[[X]] : memref<2x16x3x4x8xf16> to memref<2x4x16x8xf16, strided<[1536, 8, 96, 1], offset: 32>>
// CHECK: exec.call #exec.matmul ins(lhs %[[V]] : {{.*}}, rhs %{{.*}} : memref<2x4x8x16xf16>) outs(result
func.func @heads(%x: tensor<2x16x3x4x8xf16> {graph.input = "x"}, %k: tensor<2x4x8x16xf16> {graph.input = "k"}) -> (tensor<2x4x16x16xf16> {graph.output = "y"})
    attributes {graph.entry = "forward"} {
  %0 = graph.group #graph.group_kind<library> %x, %k : (tensor<2x16x3x4x8xf16>, tensor<2x4x8x16xf16>) -> tensor<2x4x16x16xf16> {
  ^bb0(%a: tensor<2x16x3x4x8xf16>, %b: tensor<2x4x8x16xf16>):
    %1 = graph.slice %a offsets = [0, 0, 1, 0, 0] sizes = [2, 16, 1, 4, 8] : (tensor<2x16x3x4x8xf16>) -> tensor<2x16x1x4x8xf16>
    %2 = graph.reshape %1 : (tensor<2x16x1x4x8xf16>) -> tensor<2x16x4x8xf16>
    %3 = graph.transpose %2 permutation = [0, 2, 1, 3] : (tensor<2x16x4x8xf16>) -> tensor<2x4x16x8xf16>
    %4 = graph.matmul %3, %b : (tensor<2x4x16x8xf16>, tensor<2x4x8x16xf16>) -> tensor<2x4x16x16xf16>
    graph.yield %4 : tensor<2x4x16x16xf16>
  }
  return %0 : tensor<2x4x16x16xf16>
}
