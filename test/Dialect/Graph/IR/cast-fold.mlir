// RUN: mpc-opt %s --canonicalize | FileCheck %s

// A cast to its own type goes; any other stays, with a reason or without.
// CHECK-LABEL: @casts
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[A:.*]] = graph.cast %[[X]] because "matmul is Allow" : (tensor<4xf32>) -> tensor<4xf16>
// CHECK-NEXT: %[[B:.*]] = graph.cast %[[A]] : (tensor<4xf16>) -> tensor<4xf32>
// CHECK-NEXT: return %[[X]], %[[B]]
func.func @casts(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.cast %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.cast %x because "matmul is Allow" : (tensor<4xf32>) -> tensor<4xf16>
  %2 = graph.cast %1 : (tensor<4xf16>) -> tensor<4xf32>
  return %0, %2 : tensor<4xf32>, tensor<4xf32>
}

// Constants are rounded once, to nearest even: 2049 lies between the f16
// numbers 2048 and 2050, 2051 between 2050 and 2052; 65520 is the first number
// that overflows; 1 + 2^-11 + 2^-30 in f64 is above the middle of 1 and
// 1 + 2^-10, although its f32 neighbour is the middle itself.
// CHECK-LABEL: @to_f16
// CHECK-DAG: %[[A:.*]] = graph.constant dense<[2.048000e+03, 2.052000e+03, 6.550400e+04, 0x7C00]> : tensor<4xf16>
// CHECK-DAG: %[[B:.*]] = graph.constant dense<1.000980e+00> : tensor<f16>
// CHECK-DAG: %[[C:.*]] = graph.constant dense<[1.000000e+00, 0.000000e+00]> : tensor<2xf16>
// CHECK-DAG: %[[D:.*]] = graph.constant dense<1.677720e+07> : tensor<bf16>
// CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
func.func @to_f16() -> (tensor<4xf16>, tensor<f16>, tensor<2xf16>, tensor<bf16>) {
  %a = graph.constant dense<[2049.0, 2051.0, 65519.0, 65520.0]> : tensor<4xf32>
  %b = graph.constant dense<1.000488282181322574615478515625> : tensor<f64>
  %c = graph.constant dense<[true, false]> : tensor<2xi1>
  %d = graph.constant dense<16777217> : tensor<i64>
  %0 = graph.cast %a : (tensor<4xf32>) -> tensor<4xf16>
  %1 = graph.cast %b : (tensor<f64>) -> tensor<f16>
  %2 = graph.cast %c : (tensor<2xi1>) -> tensor<2xf16>
  %3 = graph.cast %d : (tensor<i64>) -> tensor<bf16>
  return %0, %1, %2, %3 : tensor<4xf16>, tensor<f16>, tensor<2xf16>, tensor<bf16>
}

// Toward zero; -1 becomes all ones, i1 zero or one.
// CHECK-LABEL: @to_integers
// CHECK-DAG: %[[A:.*]] = graph.constant dense<[2, -2]> : tensor<2xi32>
// CHECK-DAG: %[[B:.*]] = graph.constant dense<-1> : tensor<i64>
// CHECK-DAG: %[[C:.*]] = graph.constant dense<1> : tensor<i32>
// CHECK-DAG: %[[D:.*]] = graph.constant dense<[true, false, true]> : tensor<3xi1>
// CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
func.func @to_integers() -> (tensor<2xi32>, tensor<i64>, tensor<i32>, tensor<3xi1>) {
  %a = graph.constant dense<[2.9, -2.9]> : tensor<2xf32>
  %b = graph.constant dense<-1> : tensor<i32>
  %c = graph.constant dense<true> : tensor<i1>
  %d = graph.constant dense<[0.5, -0.0, 0x7FC00000]> : tensor<3xf32>
  %0 = graph.cast %a : (tensor<2xf32>) -> tensor<2xi32>
  %1 = graph.cast %b : (tensor<i32>) -> tensor<i64>
  %2 = graph.cast %c : (tensor<i1>) -> tensor<i32>
  %3 = graph.cast %d : (tensor<3xf32>) -> tensor<3xi1>
  return %0, %1, %2, %3 : tensor<2xi32>, tensor<i64>, tensor<i32>, tensor<3xi1>
}

// What an integer cannot hold is left to the kernel.
// CHECK-LABEL: @out_of_range
// CHECK: graph.cast
// CHECK: graph.cast
func.func @out_of_range() -> (tensor<i32>, tensor<i32>) {
  %a = graph.constant dense<3.0e9> : tensor<f32>
  %b = graph.constant dense<0x7FC00000> : tensor<f32>
  %0 = graph.cast %a : (tensor<f32>) -> tensor<i32>
  %1 = graph.cast %b : (tensor<f32>) -> tensor<i32>
  return %0, %1 : tensor<i32>, tensor<i32>
}
