// RUN: mpc-opt %s --mpc-convert-graph-to-exec --split-input-file | FileCheck %s

// A scan becomes a loop of the steps of its body, which see slices of sequences;
// with a shift the slice beside theirs, and the edge where there is none. What is
// carried is found in the sequence that it becomes.
// CHECK-LABEL: exec.entry @forward
// CHECK: %[[X:.*]] = exec.input "x" : memref<3x4x8xf32>
// CHECK: %[[H:.*]] = exec.input "h" : memref<4x8xf32>
// CHECK: %[[ALL:.*]] = exec.alloc as output : memref<3x4x8xf32>
// CHECK: exec.loop steps = 3 ins(%[[X]], %[[H]] : memref<3x4x8xf32>, memref<4x8xf32>) outs(%[[ALL]] : memref<3x4x8xf32>) places = [
// CHECK-SAME: #exec.place<buffer = 0, mode = slice>, #exec.place<buffer = 0, mode = slice, shift = -1, edge = 1>, #exec.place<buffer = 2, mode = slice>, #exec.place<buffer = 2, mode = slice, shift = -1, edge = 1>] {
// CHECK-NEXT: ^bb0(%[[NOW:.*]]: memref<4x8xf32>, %[[BESIDE:.*]]: memref<4x8xf32>, %[[NEXT:.*]]: memref<4x8xf32>, %[[CARRIED:.*]]: memref<4x8xf32>):
// CHECK-NEXT: exec.launch @{{.*}} ins(%[[CARRIED]], %[[NOW]], %[[BESIDE]] : {{.*}}) outs(%[[NEXT]] : memref<4x8xf32>)
// CHECK-NOT: exec.copy
// CHECK: exec.output "all" %[[ALL]]
func.func @sequence(%x: tensor<3x4x8xf32> {graph.input = "x"}, %h: tensor<4x8xf32> {graph.input = "h"}) -> (tensor<3x4x8xf32> {graph.output = "all"})
    attributes {graph.entry = "forward"} {
  %last, %all = graph.scan steps = 3 carry %h each %x, %x shifts = [0, -1] edges %h : (tensor<4x8xf32>, tensor<3x4x8xf32>, tensor<3x4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<3x4x8xf32>) {
  ^bb0(%carried: tensor<4x8xf32>, %now: tensor<4x8xf32>, %beside: tensor<4x8xf32>):
    %0 = graph.group <row> %carried, %now, %beside : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32> {
    ^bb0(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>, %c: tensor<4x8xf32>):
      %1 = graph.add %a, %b : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
      %2 = graph.mul %1, %c : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
      graph.yield %2 : tensor<4x8xf32>
    }
    graph.yield %0, %0 : tensor<4x8xf32>, tensor<4x8xf32>
  }
  return %all : tensor<3x4x8xf32>
}

// -----
// What becomes no sequence lies in two buffers that take turns, the last time
// in the result. Backwards, the step before is the one behind.
// CHECK-LABEL: exec.entry @forward
// CHECK: %[[PAIR:.*]] = exec.alloc : memref<2x4x8xf32>
// CHECK: %[[LAST:.*]] = exec.alloc as output : memref<4x8xf32>
// CHECK: exec.loop steps = 3 reverse ins(%{{.*}}, %{{.*}} : memref<3x4x8xf32>, memref<4x8xf32>) outs(%[[PAIR]], %[[LAST]] : {{.*}}) places = [
// CHECK-SAME: #exec.place<buffer = 0, mode = slice>, #exec.place<buffer = 2, mode = turn, shift = -1, edge = 1>, #exec.place<buffer = 2, mode = turn, edge = 3>] {
// CHECK-NEXT: ^bb0(%[[NOW:.*]]: memref<4x8xf32>, %[[CARRIED:.*]]: memref<4x8xf32>, %[[NEXT:.*]]: memref<4x8xf32>):
// CHECK-NEXT: exec.launch @{{.*}} ins(%[[CARRIED]], %[[NOW]] : {{.*}}) outs(%[[NEXT]] : memref<4x8xf32>)
// CHECK: exec.output "last" %[[LAST]]
func.func @turns(%x: tensor<3x4x8xf32> {graph.input = "x"}, %h: tensor<4x8xf32> {graph.input = "h"}) -> (tensor<4x8xf32> {graph.output = "last"})
    attributes {graph.entry = "forward"} {
  %last = graph.scan steps = 3 reverse carry %h each %x : (tensor<4x8xf32>, tensor<3x4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%carried: tensor<4x8xf32>, %now: tensor<4x8xf32>):
    %0 = graph.group <row> %carried, %now : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32> {
    ^bb0(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>):
      %1 = graph.sub %a, %b : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
      graph.yield %1 : tensor<4x8xf32>
    }
    graph.yield %0 : tensor<4x8xf32>
  }
  return %last : tensor<4x8xf32>
}

// -----
// What the body does not make itself is copied to where it has to lie.
// CHECK-LABEL: exec.entry @forward
// CHECK: exec.loop steps = 2 ins(%{{.*}} : memref<2x4xf32>) outs(%{{.*}} : memref<2x4xf32>) places = [#exec.place<buffer = 0, mode = slice>, #exec.place<buffer = 1, mode = slice>] {
// CHECK-NEXT: ^bb0(%[[NOW:.*]]: memref<4xf32>, %[[COPY:.*]]: memref<4xf32>):
// CHECK-NEXT: exec.copy %[[NOW]] to %[[COPY]] : memref<4xf32>
func.func @copies(%x: tensor<2x4xf32> {graph.input = "x"}) -> (tensor<2x4xf32> {graph.output = "y"}) attributes {graph.entry = "forward"} {
  %y = graph.scan steps = 2 each %x : (tensor<2x4xf32>) -> tensor<2x4xf32> {
  ^bb0(%now: tensor<4xf32>):
    graph.yield %now : tensor<4xf32>
  }
  return %y : tensor<2x4xf32>
}
