// What is made of single numbers and indices alone is made where it is read:
// no kernel stores a mask of dropout, though CSE has made one of the two that
// forward and backward draw.
// RUN: mpc-opt %s --mpc-group | FileCheck %s
// RUN: graph-eval %s --function=dropout --rounded > %t.before
// RUN: mpc-opt %s --mpc-group | graph-eval - --function=dropout --rounded | diff %t.before -
// CHECK-LABEL: func.func @dropout
// CHECK-NOT: yield {{.*}}tensor<16x64xi1>
// CHECK: graph.philox
// CHECK-NOT: yield {{.*}}xi1>
// CHECK: graph.matmul
// CHECK: graph.philox
// CHECK-NOT: yield {{.*}}xi1>
// CHECK: return
func.func @dropout(%x: tensor<16x64xf32>, %w: tensor<64x64xf32>, %step: tensor<i32>, %seed: tensor<i32>) -> (tensor<16x64xf32>, tensor<16x64xf32>) {
  %zero = graph.constant dense<0> : tensor<i32>
  %column = graph.iota dim = 1 : tensor<16x64xi32>
  %row = graph.iota dim = 0 : tensor<16x64xi32>
  %width = graph.constant dense<64> : tensor<i32>
  %start = graph.mul %row, %width : (tensor<16x64xi32>, tensor<i32>) -> tensor<16x64xi32>
  %index = graph.add %start, %column : (tensor<16x64xi32>, tensor<16x64xi32>) -> tensor<16x64xi32>
  %word:4 = graph.philox %index, %step, %zero, %zero key %seed, %zero
      : (tensor<16x64xi32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> (tensor<16x64xi32>, tensor<16x64xi32>, tensor<16x64xi32>, tensor<16x64xi32>)
  %bound = graph.constant dense<-1717986918> : tensor<i32>
  %dropped = graph.compare <lt> %word#0, %bound : (tensor<16x64xi32>, tensor<i32>) -> tensor<16x64xi1>
  %none = graph.constant dense<0.0> : tensor<f32>
  %y = graph.select %dropped, %none, %x : (tensor<16x64xi1>, tensor<f32>, tensor<16x64xf32>) -> tensor<16x64xf32>
  %h = graph.matmul %y, %w : (tensor<16x64xf32>, tensor<64x64xf32>) -> tensor<16x64xf32>
  %dx = graph.select %dropped, %none, %h : (tensor<16x64xi1>, tensor<f32>, tensor<16x64xf32>) -> tensor<16x64xf32>
  return %h, %dx : tensor<16x64xf32>, tensor<16x64xf32>
}
