// RUN: mpc-opt %s --canonicalize | FileCheck %s
// Only what is exact in IEEE arithmetic folds. Expected constants are computed
// by hand or with NumPy.

// CHECK-LABEL: @neutral
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<4xi32>)
// CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[I]], %[[I]]
func.func @neutral(%x: tensor<4xf32>, %i: tensor<4xi32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>) {
  %minus_zero = graph.constant dense<-0.0> : tensor<f32>
  %zero = graph.constant dense<0.0> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<1xf32>
  %izero = graph.constant dense<0> : tensor<i32>
  %ione = graph.constant dense<1> : tensor<4xi32>
  %0 = graph.add %minus_zero, %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.sub %x, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = graph.mul %one, %x : (tensor<1xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = graph.div %x, %one : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  %4 = graph.pow %x, %one : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  %5 = graph.add %i, %izero : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  %6 = graph.mul %i, %ione : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>
}

// -0 + 0 = 0, -0 - -0 = 0, 0 * inf = NaN, inf - inf = NaN: none of these folds.
// CHECK-LABEL: @not_neutral
// CHECK: graph.add
// CHECK: graph.sub
// CHECK: graph.mul
// CHECK: graph.sub
func.func @not_neutral(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %minus_zero = graph.constant dense<-0.0> : tensor<f32>
  %zero = graph.constant dense<0.0> : tensor<f32>
  %0 = graph.add %x, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = graph.sub %x, %minus_zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = graph.mul %x, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = graph.sub %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// A neutral element that makes the result larger stays.
// CHECK-LABEL: @neutral_broadcasts
// CHECK: graph.mul
func.func @neutral_broadcasts(%x: tensor<1xf32>) -> tensor<4xf32> {
  %one = graph.constant dense<1.0> : tensor<4xf32>
  %0 = graph.mul %x, %one : (tensor<1xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @integers
// CHECK-DAG: %[[ZERO:.*]] = graph.constant dense<0> : tensor<4xi32>
// CHECK: return %[[ZERO]], %[[ZERO]]
func.func @integers(%i: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %zero = graph.constant dense<0> : tensor<i32>
  %0 = graph.sub %i, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %1 = graph.mul %i, %zero : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  return %0, %1 : tensor<4xi32>, tensor<4xi32>
}

// CHECK-LABEL: @signs
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>)
// CHECK-DAG: %[[ABS:.*]] = graph.abs %[[X]]
// CHECK-DAG: %[[SUB:.*]] = graph.sub %[[Y]], %[[X]]
// CHECK-DAG: %[[SUB2:.*]] = graph.sub %[[Y]], %[[X]]
// CHECK-DAG: %[[ADD:.*]] = graph.add %[[Y]], %[[X]]
// CHECK-DAG: %[[RELU:.*]] = graph.relu %[[X]]
// CHECK: return %[[X]], %[[ABS]], %[[ABS]], %[[SUB]], %[[SUB2]], %[[ADD]], %[[RELU]], %[[X]], %[[X]]
func.func @signs(%x: tensor<4xf32>, %y: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %neg = graph.neg %x : tensor<4xf32>
  %0 = graph.neg %neg : tensor<4xf32>
  %1 = graph.abs %neg : tensor<4xf32>
  %2 = graph.abs %1 : tensor<4xf32>
  %3 = graph.add %neg, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = graph.add %y, %neg : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = graph.sub %y, %neg : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %relu = graph.relu %x : tensor<4xf32>
  %6 = graph.relu %relu : tensor<4xf32>
  %7 = graph.maximum %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %8 = graph.minimum %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// 2048 + 1 = 2049 lies between the f16 numbers 2048 and 2050: to even, 2048.
// CHECK-LABEL: @rounded
// CHECK-DAG: %[[SUM:.*]] = graph.constant dense<2.048000e+03> : tensor<f16>
// CHECK-DAG: %[[INF:.*]] = graph.constant dense<0x7C00> : tensor<f16>
// CHECK-DAG: %[[THIRD:.*]] = graph.constant dense<0.333333343> : tensor<f32>
// CHECK-DAG: %[[ROOT:.*]] = graph.constant dense<1.41421354> : tensor<f32>
// CHECK: return %[[SUM]], %[[INF]], %[[THIRD]], %[[ROOT]]
func.func @rounded() -> (tensor<f16>, tensor<f16>, tensor<f32>, tensor<f32>) {
  %a = graph.constant dense<2048.0> : tensor<f16>
  %b = graph.constant dense<1.0> : tensor<f16>
  %c = graph.constant dense<1.0> : tensor<f32>
  %d = graph.constant dense<3.0> : tensor<f32>
  %e = graph.constant dense<2.0> : tensor<f32>
  %0 = graph.add %a, %b : (tensor<f16>, tensor<f16>) -> tensor<f16>
  %1 = graph.mul %a, %a : (tensor<f16>, tensor<f16>) -> tensor<f16>
  %2 = graph.div %c, %d : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %3 = graph.sqrt %e : tensor<f32>
  return %0, %1, %2, %3 : tensor<f16>, tensor<f16>, tensor<f32>, tensor<f32>
}

// [1, 2] and a column [10, 20] broadcast to 2x2.
// CHECK-LABEL: @broadcast_constants
// CHECK-DAG: dense<{{\[}}[1.100000e+01, 1.200000e+01], [2.100000e+01, 2.200000e+01]]>
// CHECK-DAG: dense<{{\[}}[true, true], [true, false]]>
// CHECK-DAG: dense<[-1.000000e+00, 0.000000e+00]>
func.func @broadcast_constants() -> (tensor<2x2xf32>, tensor<2x2xi1>, tensor<2xf32>) {
  %row = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %column = graph.constant dense<[[10.0], [20.0]]> : tensor<2x1xf32>
  %small = graph.constant dense<[[3.0], [1.5]]> : tensor<2x1xf32>
  %two = graph.constant dense<2.0> : tensor<f32>
  %0 = graph.add %row, %column : (tensor<2xf32>, tensor<2x1xf32>) -> tensor<2x2xf32>
  %1 = graph.compare <lt> %row, %small : (tensor<2xf32>, tensor<2x1xf32>) -> tensor<2x2xi1>
  %2 = graph.sub %row, %two : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return %0, %1, %2 : tensor<2x2xf32>, tensor<2x2xi1>, tensor<2xf32>
}

// NaN is not equal to itself, not less, and spreads through maximum and relu.
// CHECK-LABEL: @nan
// CHECK-DAG: %[[TRUE:.*]] = graph.constant dense<true>
// CHECK-DAG: %[[FALSE:.*]] = graph.constant dense<false>
// CHECK-DAG: %[[NAN:.*]] = graph.constant dense<0x7FC00000>
// CHECK: return %[[FALSE]], %[[TRUE]], %[[FALSE]], %[[FALSE]], %[[NAN]], %[[NAN]]
func.func @nan() -> (tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<f32>, tensor<f32>) {
  %nan = graph.constant dense<0x7FC00000> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %0 = graph.compare <eq> %nan, %nan : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %1 = graph.compare <ne> %nan, %nan : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %2 = graph.compare <ge> %nan, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %3 = graph.compare <gt> %nan, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %4 = graph.maximum %nan, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %5 = graph.relu %nan : tensor<f32>
  return %0, %1, %2, %3, %4, %5 : tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>, tensor<f32>, tensor<f32>
}

// x == x asks whether x is NaN and stays; x < x is false whatever x is.
// CHECK-LABEL: @compare_itself
// CHECK-DAG: %[[FALSE:.*]] = graph.constant dense<false> : tensor<4xi1>
// CHECK-DAG: %[[EQ:.*]] = graph.compare <eq>
// CHECK: return %[[EQ]], %[[FALSE]]
func.func @compare_itself(%x: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xi1>) {
  %0 = graph.compare <eq> %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %1 = graph.compare <lt> %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return %0, %1 : tensor<4xi1>, tensor<4xi1>
}

// CHECK-LABEL: @select
// CHECK-SAME: (%[[C:.*]]: tensor<4xi1>, %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>, %[[S:.*]]: tensor<f32>)
// CHECK: %[[WIDER:.*]] = graph.select %[[C]], %[[S]], %[[S]]
// CHECK: return %[[X]], %[[Y]], %[[X]], %[[WIDER]]
func.func @select(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>, %s: tensor<f32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %true = graph.constant dense<true> : tensor<i1>
  %false = graph.constant dense<false> : tensor<4xi1>
  %0 = graph.select %true, %x, %y : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.select %false, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = graph.select %c, %x, %x : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = graph.select %c, %s, %s : (tensor<4xi1>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// A splat folds whatever its size; other constants up to 1024 elements.
// CHECK-LABEL: @sizes
// CHECK: %[[BIG:.*]] = graph.constant dense<2.000000e+00> : tensor<4096x4096xf32>
// CHECK: %[[IN:.*]] = graph.mul
// CHECK: return %[[BIG]], %[[IN]]
func.func @sizes() -> (tensor<4096x4096xf32>, tensor<1025x2xf32>) {
  %one = graph.constant dense<1.0> : tensor<4096x4096xf32>
  %0 = graph.add %one, %one : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %pair = graph.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %two = graph.constant dense<2.0> : tensor<1025x1xf32>
  %1 = graph.mul %pair, %two : (tensor<2xf32>, tensor<1025x1xf32>) -> tensor<1025x2xf32>
  return %0, %1 : tensor<4096x4096xf32>, tensor<1025x2xf32>
}

// exp is not exactly rounded: the kernel decides its last bit.
// CHECK-LABEL: @exp
// CHECK: graph.exp
func.func @exp() -> tensor<f32> {
  %one = graph.constant dense<1.0> : tensor<f32>
  %0 = graph.exp %one : tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @whole_numbers
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK-DAG: graph.constant dense<[-2.000000e+00, 0.000000e+00, 2.000000e+00, 2.000000e+00]>
// CHECK-DAG: graph.constant dense<[-2.000000e+00, 0.000000e+00, 1.000000e+00, 2.000000e+00]>
// CHECK-DAG: graph.constant dense<[-1.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00]>
// CHECK-DAG: graph.constant dense<[-1.000000e+00, 5.000000e-01, 1.500000e+00, 2.000000e+00]>
// CHECK-DAG: graph.constant dense<[-5.000000e-01, 2.000000e+00, 0.666666686, 4.000000e-01]>
// CHECK: %[[F:.*]] = graph.floor %[[X]]
// CHECK: return {{.*}}, %[[F]] :
func.func @whole_numbers(%x: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %c = graph.constant dense<[-2.0, 0.5, 1.5, 2.5]> : tensor<4xf32>
  %d = graph.constant dense<[-1.5, 0.5, 1.5, 2.5]> : tensor<4xf32>
  %0 = graph.round %c : tensor<4xf32>
  %1 = graph.floor %c : tensor<4xf32>
  %2 = graph.ceil %d : tensor<4xf32>
  %3 = graph.clamp %d min = -1.0 max = 2.0 : tensor<4xf32>
  %4 = graph.reciprocal %c : tensor<4xf32>
  %5 = graph.floor %x : tensor<4xf32>
  %6 = graph.round %5 : tensor<4xf32>
  return %0, %1, %2, %3, %4, %6 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @flags
// CHECK-SAME: (%[[X:.*]]: tensor<4xi1>)
// CHECK-DAG: %[[NO:.*]] = graph.constant dense<false>
// CHECK-DAG: %[[YES:.*]] = graph.constant dense<true>
// CHECK: return %[[X]], %[[X]], %[[NO]], %[[YES]], %[[X]] :
func.func @flags(%x: tensor<4xi1>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %yes = graph.constant dense<true> : tensor<i1>
  %no = graph.constant dense<false> : tensor<i1>
  %0 = graph.logical_and %yes, %x : (tensor<i1>, tensor<4xi1>) -> tensor<4xi1>
  %1 = graph.logical_or %x, %no : (tensor<4xi1>, tensor<i1>) -> tensor<4xi1>
  %2 = graph.logical_and %x, %no : (tensor<4xi1>, tensor<i1>) -> tensor<4xi1>
  %3 = graph.logical_or %x, %yes : (tensor<4xi1>, tensor<i1>) -> tensor<4xi1>
  %n = graph.logical_not %x : tensor<4xi1>
  %4 = graph.logical_not %n : tensor<4xi1>
  return %0, %1, %2, %3, %4 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// A stop is once enough, and a constant has no gradient; another is no identity
// before gradients are built.
// CHECK-LABEL: @stop_gradient
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK-DAG: %[[C:.*]] = graph.constant dense<2.000000e+00>
// CHECK-DAG: %[[S:.*]] = graph.stop_gradient %[[X]]
// CHECK: return %[[S]], %[[C]]
func.func @stop_gradient(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %two = graph.constant dense<2.0> : tensor<4xf32>
  %0 = graph.stop_gradient %x : tensor<4xf32>
  %1 = graph.stop_gradient %0 : tensor<4xf32>
  %2 = graph.stop_gradient %two : tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}
