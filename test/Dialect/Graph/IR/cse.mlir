// RUN: mpc-opt %s --cse | FileCheck %s
// Equal ops become one, commuted ones too, and whole groups.

// CHECK-LABEL: @equal
// CHECK-COUNT-1: graph.add
// CHECK-NOT: graph.add
// CHECK: graph.sub
// CHECK: graph.sub
func.func @equal(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.add %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.add %y, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = graph.sub %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = graph.sub %y, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @groups
// CHECK-COUNT-1: graph.group
// CHECK-NOT: graph.group
func.func @groups(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.group <row> %x : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %e = graph.exp %a : tensor<4xf32>
    graph.yield %e : tensor<4xf32>
  }
  %1 = graph.group <row> %x : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %e = graph.exp %a : tensor<4xf32>
    graph.yield %e : tensor<4xf32>
  }
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Why a cast stands is a note: the first one's is kept.
// CHECK-LABEL: @casts
// CHECK: %[[Y:.*]] = graph.cast %{{.*}} because "allow: matmul runs in f16"
// CHECK-NEXT: return %[[Y]], %[[Y]]
func.func @casts(%x: tensor<4xf32>) -> (tensor<4xf16>, tensor<4xf16>) {
  %0 = graph.cast %x because "allow: matmul runs in f16" : (tensor<4xf32>) -> tensor<4xf16>
  %1 = graph.cast %x because "infer: add runs in f16" : (tensor<4xf32>) -> tensor<4xf16>
  return %0, %1 : tensor<4xf16>, tensor<4xf16>
}

// Who put it in is none: what somebody wrote stays, what a pass wrote may go.
// CHECK-LABEL: @written
// CHECK: graph.cast %{{[^ ]*}} because "allow: matmul runs in f16"
// CHECK-NEXT: graph.cast %{{[^ ]*}} : (tensor<4xf32>)
func.func @written(%x: tensor<4xf32>) -> (tensor<4xf16>, tensor<4xf16>) {
  %0 = graph.cast %x because "allow: matmul runs in f16" : (tensor<4xf32>) -> tensor<4xf16>
  %1 = graph.cast %x : (tensor<4xf32>) -> tensor<4xf16>
  return %0, %1 : tensor<4xf16>, tensor<4xf16>
}
