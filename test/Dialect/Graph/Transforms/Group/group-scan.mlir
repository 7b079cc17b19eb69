// A step of an lstm is one product and one kernel, which writes the gates where
// they lie in one tensor (strides); a step back is one kernel and one product.
// RUN: mpc-opt %s --mpc-decompose --cse --mpc-group | FileCheck %s
// RUN: mpc-opt %s --mpc-decompose --cse --mpc-group --mpc-verify-group -o /dev/null

// CHECK-LABEL: func.func @forward
// CHECK: graph.group <library>
// CHECK: graph.scan steps = 5 carry %{{.*}}, %{{.*}} each %{{.*}} with %{{.*}} :
// CHECK-NEXT: ^bb0
// CHECK-NEXT: %[[PRODUCT:.*]] = graph.group <library>
// CHECK: %[[STEP:.*]]:6 = graph.group <row>
// CHECK-SAME: strides = [array<i64: 64, 1>, array<i64: 64, 1>, array<i64: 64, 1>, array<i64: 64, 1>, array<i64>, array<i64>]
// CHECK-NOT: graph.group
// CHECK: %[[GATES:.*]] = graph.concat %[[STEP]]#{{.}}, %[[STEP]]#{{.}}, %[[STEP]]#{{.}}, %[[STEP]]#{{.}} dim = 1
// CHECK-NEXT: graph.yield %[[H:[0-9#]+]], %[[C:[0-9#]+]], %[[H]], %[[C]], %[[GATES]]
func.func @forward(%x: tensor<5x4x8xf32>, %w: tensor<64x8xf32>, %u: tensor<64x16xf32>)
    -> (tensor<5x4x16xf32>, tensor<5x4x16xf32>, tensor<5x4x64xf32>) {
  %0:6 = graph.lstm %x, %w, %u : (tensor<5x4x8xf32>, tensor<64x8xf32>, tensor<64x16xf32>) -> (tensor<5x4x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>, tensor<5x4x16xf32>, tensor<5x4x16xf32>, tensor<5x4x64xf32>)
  return %0#0, %0#4, %0#5 : tensor<5x4x16xf32>, tensor<5x4x16xf32>, tensor<5x4x64xf32>
}

// Nobody reads cells and gates: they are not written as sequences.
// CHECK-LABEL: func.func @inference
// CHECK: graph.scan {{.*}} -> (tensor<4x16xf32>, tensor<4x16xf32>, tensor<5x4x16xf32>) {
// CHECK: graph.group <library>
// CHECK: graph.group <row>
// CHECK-NOT: graph.group
// CHECK: graph.yield
func.func @inference(%x: tensor<5x4x8xf32>, %w: tensor<64x8xf32>, %u: tensor<64x16xf32>) -> tensor<5x4x16xf32> {
  %0:6 = graph.lstm %x, %w, %u : (tensor<5x4x8xf32>, tensor<64x8xf32>, tensor<64x16xf32>) -> (tensor<5x4x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>, tensor<5x4x16xf32>, tensor<5x4x16xf32>, tensor<5x4x64xf32>)
  return %0#0 : tensor<5x4x16xf32>
}

// CHECK-LABEL: func.func @backward
// CHECK: graph.scan steps = 5 reverse {{.*}} shifts = [0, 0, -1, 0]
// CHECK: graph.group <row>
// CHECK-NOT: graph.group
// CHECK: %[[SUMS:.*]] = graph.concat
// CHECK: graph.group <library> %[[SUMS]],
// CHECK-NOT: graph.group
// CHECK: graph.yield
func.func @backward(%u: tensor<64x16xf32>, %cells: tensor<5x4x16xf32>, %gates: tensor<5x4x64xf32>, %dy: tensor<5x4x16xf32>,
    %dl: tensor<4x16xf32>, %dm: tensor<4x16xf32>) -> tensor<5x4x64xf32> {
  %0:3 = graph.lstm_backward %u kept %cells, %gates cotangents %dy, %dl, %dm : (tensor<64x16xf32>, tensor<5x4x16xf32>, tensor<5x4x64xf32>, tensor<5x4x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>) -> (tensor<5x4x64xf32>, tensor<4x16xf32>, tensor<4x16xf32>)
  return %0#0 : tensor<5x4x64xf32>
}

// What is carried after the last step, in either direction, is read at the end
// of its sequence: nothing is copied from step to step. One that is no sequence
// is a result of its own.
// CHECK-LABEL: func.func @ends
// CHECK: %[[S:.*]]:3 = graph.scan steps = 5 carry
// CHECK: %[[R:.*]]:2 = graph.scan steps = 5 reverse
// CHECK: graph.group <row> %[[S]]#2, %[[R]]#1, %[[S]]#1 :
// CHECK-NEXT: ^bb0(%[[FORTH:.*]]: tensor<5x8xf32>, %[[BACK:.*]]: tensor<5x8xf32>,
// CHECK: graph.slice %[[FORTH]] offsets = [4, 0] sizes = [1, 8] :
// CHECK: graph.slice %[[BACK]] offsets = [0, 0] sizes = [1, 8] :
// CHECK-NOT: graph.group
// CHECK: return %[[S]]#2, %[[R]]#1,
func.func @ends(%x: tensor<5x8xf32>, %h: tensor<8xf32>) -> (tensor<5x8xf32>, tensor<5x8xf32>, tensor<8xf32>) {
  %a, %c, %as = graph.scan steps = 5 carry %h, %h each %x : (tensor<8xf32>, tensor<8xf32>, tensor<5x8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<5x8xf32>) {
  ^bb0(%state: tensor<8xf32>, %other: tensor<8xf32>, %now: tensor<8xf32>):
    %0 = graph.mul %state, %now : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %1 = graph.tanh %other : tensor<8xf32>
    graph.yield %0, %1, %0 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
  %b, %bs = graph.scan steps = 5 reverse carry %h each %x : (tensor<8xf32>, tensor<5x8xf32>) -> (tensor<8xf32>, tensor<5x8xf32>) {
  ^bb0(%state: tensor<8xf32>, %now: tensor<8xf32>):
    %0 = graph.add %state, %now : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    graph.yield %0, %0 : tensor<8xf32>, tensor<8xf32>
  }
  %2 = graph.add %a, %b : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %3 = graph.exp %c : tensor<8xf32>
  %4 = graph.sub %2, %3 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %as, %bs, %4 : tensor<5x8xf32>, tensor<5x8xf32>, tensor<8xf32>
}
