// RUN: mpc-opt %s --mpc-convert-graph-to-exec --split-input-file | FileCheck %s

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

// -----
// A batch dim that the other operand alone has is one of stride 0.
// CHECK-LABEL: exec.entry @forward
// CHECK: %[[X:.*]] = exec.input "x" : memref<1x16x8xf16>
// CHECK: %[[W:.*]] = exec.input "w" : memref<8x5xf16>
// CHECK: %[[V:.*]] = exec.view %[[X]] : memref<1x16x8xf16> to memref<3x16x8xf16, strided<[0, 8, 1]>>
// CHECK: exec.call #exec.matmul ins(lhs %[[V]] : {{.*}}, rhs %{{.*}} : memref<3x8x5xf16>)
// CHECK: %[[U:.*]] = exec.view %[[W]] : memref<8x5xf16> to memref<3x8x5xf16, strided<[0, 5, 1]>>
// CHECK: exec.call #exec.matmul ins(lhs %{{.*}} : memref<3x16x8xf16>, rhs %[[U]] : {{.*}})
func.func @repeated(%x: tensor<1x16x8xf16> {graph.input = "x"}, %w: tensor<8x5xf16> {graph.input = "w"}, %k: tensor<3x8x5xf16> {graph.input = "k"}, %z: tensor<3x16x8xf16> {graph.input = "z"})
    -> (tensor<3x16x5xf16> {graph.output = "y"}, tensor<3x16x5xf16> {graph.output = "v"}) attributes {graph.entry = "forward"} {
  %0 = graph.group #graph.group_kind<library> %x, %k : (tensor<1x16x8xf16>, tensor<3x8x5xf16>) -> tensor<3x16x5xf16> {
  ^bb0(%a: tensor<1x16x8xf16>, %b: tensor<3x8x5xf16>):
    %2 = graph.matmul %a, %b : (tensor<1x16x8xf16>, tensor<3x8x5xf16>) -> tensor<3x16x5xf16>
    graph.yield %2 : tensor<3x16x5xf16>
  }
  %1 = graph.group #graph.group_kind<library> %z, %w : (tensor<3x16x8xf16>, tensor<8x5xf16>) -> tensor<3x16x5xf16> {
  ^bb0(%a: tensor<3x16x8xf16>, %b: tensor<8x5xf16>):
    %2 = graph.matmul %a, %b : (tensor<3x16x8xf16>, tensor<8x5xf16>) -> tensor<3x16x5xf16>
    graph.yield %2 : tensor<3x16x5xf16>
  }
  return %0, %1 : tensor<3x16x5xf16>, tensor<3x16x5xf16>
}

// -----
// What a call writes in place are views of what its group yields.
// CHECK-LABEL: exec.entry @forward
// CHECK: %[[ALL:.*]] = exec.alloc as output : memref<2x16x384xf16>
// CHECK: %[[Q:.*]] = exec.view %[[ALL]] : memref<2x16x384xf16> to memref<2x16x2x64xf16, strided<[6144, 384, 64, 1]>>
// CHECK: %[[K:.*]] = exec.view %[[ALL]] : memref<2x16x384xf16> to memref<2x16x2x64xf16, strided<[6144, 384, 64, 1], offset: 128>>
// CHECK: %[[V:.*]] = exec.view %[[ALL]] : memref<2x16x384xf16> to memref<2x16x2x64xf16, strided<[6144, 384, 64, 1], offset: 256>>
// CHECK: exec.call #exec.attention<{{.*}}> ins({{.*}}) outs(query_gradient %[[Q]] : {{.*}}, key_gradient %[[K]] : {{.*}}, value_gradient %[[V]] : {{.*}})
// CHECK: exec.output "dqkv" %[[ALL]]
func.func @gradients(%q: tensor<2x16x2x64xf16> {graph.input = "q"}, %l: tensor<2x2x16xf32> {graph.input = "l"}) -> (tensor<2x16x384xf16> {graph.output = "dqkv"})
    attributes {graph.entry = "forward"} {
  %0 = graph.group #graph.group_kind<library> %q, %l : (tensor<2x16x2x64xf16>, tensor<2x2x16xf32>) -> tensor<2x16x384xf16> {
  ^bb0(%a: tensor<2x16x2x64xf16>, %b: tensor<2x2x16xf32>):
    %dq, %dk, %dv = graph.scaled_dot_product_attention_backward %a, %a, %a result %a, %b cotangent %a : (tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x2x16xf32>, tensor<2x16x2x64xf16>) -> (tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>, tensor<2x16x2x64xf16>)
    %1 = graph.reshape %dq : (tensor<2x16x2x64xf16>) -> tensor<2x16x128xf16>
    %2 = graph.reshape %dk : (tensor<2x16x2x64xf16>) -> tensor<2x16x128xf16>
    %3 = graph.reshape %dv : (tensor<2x16x2x64xf16>) -> tensor<2x16x128xf16>
    %4 = graph.concat %1, %2, %3 dim = 2 : (tensor<2x16x128xf16>, tensor<2x16x128xf16>, tensor<2x16x128xf16>) -> tensor<2x16x384xf16>
    graph.yield %4 : tensor<2x16x384xf16>
  }
  return %0 : tensor<2x16x384xf16>
}
