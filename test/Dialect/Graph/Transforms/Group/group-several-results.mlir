// RUN: mpc-opt %s --mpc-group --mpc-verify-group | FileCheck %s
// An op with several results is in the kernel of whoever reads any of them.

// CHECK-LABEL: @read_inside_and_outside
// CHECK: %[[GROUP:.*]]:3 = graph.group <row> %arg0, %arg1
// CHECK: %[[W0:.*]], %[[W1:.*]], %[[W2:.*]], %[[W3:.*]] = graph.philox
// CHECK: %[[FLOAT:.*]] = graph.cast %[[W2]]
// CHECK: graph.yield %[[W1]], %[[W3]], %[[FLOAT]]
// CHECK-NOT: graph.philox
// CHECK: return %[[GROUP]]#1, %[[GROUP]]#2, %[[GROUP]]#0
func.func @read_inside_and_outside(%c: tensor<16x64xi32>, %k: tensor<i32>) -> (tensor<16x64xi32>, tensor<16x64xf32>, tensor<16x64xi32>) {
  %w:4 = graph.philox %c, %c, %c, %c key %k, %k : (tensor<16x64xi32>, tensor<16x64xi32>, tensor<16x64xi32>, tensor<16x64xi32>, tensor<i32>, tensor<i32>) -> (tensor<16x64xi32>, tensor<16x64xi32>, tensor<16x64xi32>, tensor<16x64xi32>)
  %f = graph.cast %w#2 : (tensor<16x64xi32>) -> tensor<16x64xf32>
  return %w#3, %f, %w#1 : tensor<16x64xi32>, tensor<16x64xf32>, tensor<16x64xi32>
}

// Equal ones are one, with all their results.
// CHECK-LABEL: @equal
// CHECK: graph.group
// CHECK: %[[W0:.*]], %[[W1:.*]], %[[W2:.*]], %[[W3:.*]] = graph.philox
// CHECK-NOT: graph.philox
// CHECK: graph.sub %[[W1]], %[[W2]]
func.func @equal(%c: tensor<16x64xi32>, %k: tensor<i32>) -> tensor<16x64xi32> {
  %w:4 = graph.philox %c, %c, %c, %c key %k, %k : (tensor<16x64xi32>, tensor<16x64xi32>, tensor<16x64xi32>, tensor<16x64xi32>, tensor<i32>, tensor<i32>) -> (tensor<16x64xi32>, tensor<16x64xi32>, tensor<16x64xi32>, tensor<16x64xi32>)
  %v:4 = graph.philox %c, %c, %c, %c key %k, %k : (tensor<16x64xi32>, tensor<16x64xi32>, tensor<16x64xi32>, tensor<16x64xi32>, tensor<i32>, tensor<i32>) -> (tensor<16x64xi32>, tensor<16x64xi32>, tensor<16x64xi32>, tensor<16x64xi32>)
  %d = graph.sub %w#1, %v#2 : (tensor<16x64xi32>, tensor<16x64xi32>) -> tensor<16x64xi32>
  return %d : tensor<16x64xi32>
}
