// Philox4x32-10 gives the words that its authors publish (Random123, file
// kat_vectors): counters and keys of zeros, of ones, and of digits of pi. Each
// column of the operands is one line of that file. The kernels compute the same:
// test/Numerics/Kernels, makeRandomCases.
// RUN: graph-eval %s --function=known_answers | FileCheck %s
func.func @known_answers() -> (tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) {
  // 00000000 ffffffff 243f6a88
  %c0 = graph.constant dense<[0, -1, 608135816]> : tensor<3xi32>
  // 00000000 ffffffff 85a308d3
  %c1 = graph.constant dense<[0, -1, -2052912941]> : tensor<3xi32>
  // 00000000 ffffffff 13198a2e
  %c2 = graph.constant dense<[0, -1, 320440878]> : tensor<3xi32>
  // 00000000 ffffffff 03707344
  %c3 = graph.constant dense<[0, -1, 57701188]> : tensor<3xi32>
  // 00000000 ffffffff a4093822
  %k0 = graph.constant dense<[0, -1, -1542899678]> : tensor<3xi32>
  // 00000000 ffffffff 299f31d0
  %k1 = graph.constant dense<[0, -1, 698298832]> : tensor<3xi32>
  %0:4 = graph.philox %c0, %c1, %c2, %c3 key %k0, %k1 : (tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>)
  return %0#0, %0#1, %0#2, %0#3 : tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>
}
// 6627e8d5 408f276d d16cfe09
// CHECK: result 0: tensor<3xi32> = [1713891541, 1083123565, -781386231]
// e169c58d 41c83b0e 94fdcceb
// CHECK: result 1: tensor<3xi32> = [-513161843, 1103641358, -1795306261]
// bc57ac4c a20bc7c6 5001e420
// CHECK: result 2: tensor<3xi32> = [-1135104948, -1576286266, 1342301216]
// 9b00dbd8 6d5451fd 24126ea1
// CHECK: result 3: tensor<3xi32> = [-1694442536, 1834242557, 605187745]
