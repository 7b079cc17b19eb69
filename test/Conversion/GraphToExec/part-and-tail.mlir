// A call for CUDA that reads a part of what its tail reads all of: the tail
// reads the operand that is all of it.
// RUN: mpc-opt %s --mpc-convert-graph-to-exec | FileCheck %s

module attributes {graph.target = "cuda"} {
// CHECK: %[[B:.*]] = exec.input "b"
// CHECK: %[[PART:.*]] = exec.view %[[B]] : memref<32xf32> to memref<1x16xf32, strided<[{{.*}}, 1]>>
// CHECK: exec.call #exec.matmul ins(lhs %[[PART]] : {{.*}}, rhs %{{.*}}, bias %[[B]] : memref<32xf32>) outs(result %{{.*}}) tail = @{{.*}} [3, 2, 3]
func.func @f(%b: tensor<32xf32> {graph.input = "b"}, %w: tensor<16x32xf32> {graph.input = "w"}) -> (tensor<1x32xf32> {graph.output = "y"})
    attributes {graph.entry = "forward"} {
  %0 = graph.group <library> %b, %w : (tensor<32xf32>, tensor<16x32xf32>) -> tensor<1x32xf32> {
  ^bb0(%a0: tensor<32xf32>, %a1: tensor<16x32xf32>):
    %s = graph.slice %a0 offsets = [0] sizes = [16] : (tensor<32xf32>) -> tensor<16xf32>
    %r = graph.broadcast %s : (tensor<16xf32>) -> tensor<1x16xf32>
    %p = graph.matmul %r, %a1 : (tensor<1x16xf32>, tensor<16x32xf32>) -> tensor<1x32xf32>
    %y = graph.add %p, %a0 : (tensor<1x32xf32>, tensor<32xf32>) -> tensor<1x32xf32>
    graph.yield %y : tensor<1x32xf32>
  }
  return %0 : tensor<1x32xf32>
}
}
