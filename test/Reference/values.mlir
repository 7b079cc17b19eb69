// The interpreter against values worked out by hand, one function per family.
// RUN: graph-eval %s --function=elementwise | FileCheck %s --check-prefix=ELEMENTWISE
// RUN: graph-eval %s --function=reduction | FileCheck %s --check-prefix=REDUCTION
// RUN: graph-eval %s --function=normalization | FileCheck %s --check-prefix=NORMALIZATION
// RUN: graph-eval %s --function=shape | FileCheck %s --check-prefix=SHAPE
// RUN: graph-eval %s --function=loss | FileCheck %s --check-prefix=LOSS
// RUN: graph-eval %s --function=precision | FileCheck %s --check-prefix=PRECISION
// RUN: graph-eval %s --function=group | FileCheck %s --check-prefix=GROUP

// Integers wrap; relu and maximum pass NaN on; comparisons with NaN are false
// except ne.
// ELEMENTWISE: result 0: tensor<2xi32> = [-2147483648, 3]
// ELEMENTWISE: result 1: tensor<3xf64> = [0, 0, 2]
// ELEMENTWISE: result 2: tensor<2x3xf64> = [-1, 0.5, 2, 1, 1, 2]
// ELEMENTWISE: result 3: tensor<i1> = [0]
// ELEMENTWISE: result 4: tensor<i1> = [1]
// ELEMENTWISE: result 5: tensor<f64> = [nan]
// ELEMENTWISE: result 6: tensor<f64> = [nan]
// gelu(1) = Phi(1) = 0.841344746068543 (tables of the normal distribution)
// ELEMENTWISE: result 7: tensor<f64> = [0.84134474606854
// ELEMENTWISE: result 8: tensor<f64> = [8]
func.func @elementwise() -> (tensor<2xi32>, tensor<3xf64>, tensor<2x3xf64>, tensor<i1>, tensor<i1>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) {
  %i = graph.constant dense<[2147483647, 2]> : tensor<2xi32>
  %i1 = graph.constant dense<1> : tensor<i32>
  %0 = graph.add %i, %i1 : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  %x = graph.constant dense<[-1.0, 0.0, 2.0]> : tensor<3xf64>
  %1 = graph.relu %x : tensor<3xf64>
  %column = graph.constant dense<[[-3.0], [1.0]]> : tensor<2x1xf64>
  %y = graph.constant dense<[-1.0, 0.5, 2.0]> : tensor<3xf64>
  %2 = graph.maximum %column, %y : (tensor<2x1xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  %nan = graph.constant dense<0x7FF8000000000000> : tensor<f64>
  %3 = graph.compare <eq> %nan, %nan : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %4 = graph.compare <ne> %nan, %nan : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %5 = graph.relu %nan : tensor<f64>
  %one = graph.constant dense<1.0> : tensor<f64>
  %6 = graph.maximum %nan, %one : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %7 = graph.gelu %one : tensor<f64>
  %two = graph.constant dense<2.0> : tensor<f64>
  %three = graph.constant dense<3.0> : tensor<f64>
  %8 = graph.pow %two, %three : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<2xi32>, tensor<3xf64>, tensor<2x3xf64>, tensor<i1>, tensor<i1>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>
}

// REDUCTION: result 0: tensor<3xf64> = [5, 7, 9]
// REDUCTION: result 1: tensor<2x1xf64> = [2, 5]
// REDUCTION: result 2: tensor<f64> = [6]
// sqrt(3^2 + 4^2 + 12^2) = 13
// REDUCTION: result 3: tensor<f32> = [13]
// 3 + 4 + 12 = 19; (1 + 2 + 3)^2 = 36 of 1, 4 and 9; the largest is 12
// REDUCTION: result 4: tensor<f32> = [19]
// REDUCTION: result 5: tensor<f32> = [36]
// REDUCTION: result 6: tensor<f32> = [12]
func.func @reduction() -> (tensor<3xf64>, tensor<2x1xf64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %x = graph.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf64>
  %0 = graph.sum %x dims = [0] : (tensor<2x3xf64>) -> tensor<3xf64>
  %1 = graph.mean %x dims = [1] keep : (tensor<2x3xf64>) -> tensor<2x1xf64>
  %2 = graph.max %x dims = [0, 1] : (tensor<2x3xf64>) -> tensor<f64>
  %a = graph.constant dense<[3.0, 4.0]> : tensor<2xf32>
  %b = graph.constant dense<12.0> : tensor<f32>
  %3 = graph.global_norm %a, %b : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  %c = graph.constant dense<[1.0, 4.0, 9.0]> : tensor<3xf32>
  %4 = graph.global_norm %a, %b norm_type = 1.0 : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  %5 = graph.global_norm %c norm_type = 0.5 : (tensor<3xf32>) -> tensor<f32>
  %6 = graph.global_norm %a, %b norm_type = inf : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<3xf64>, tensor<2x1xf64>, tensor<f64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}

// Rows (1, 3) and (0, 8) with epsilon 0 are (-1, 1) and (-1, 1); the variance
// is the biased one.
// NORMALIZATION: result 0: tensor<2x2xf64> = [-8, 15, -8, 15]
// NORMALIZATION: result 1: tensor<2x2xf64> = [0.5, 0.5, 0.5, 0.5]
// NORMALIZATION: result 2: tensor<2xf64> = [0, -1000]
func.func @normalization() -> (tensor<2x2xf64>, tensor<2x2xf64>, tensor<2xf64>) {
  %x = graph.constant dense<[[1.0, 3.0], [0.0, 8.0]]> : tensor<2x2xf64>
  %w = graph.constant dense<[10.0, 10.0]> : tensor<2xf64>
  %b = graph.constant dense<[2.0, 5.0]> : tensor<2xf64>
  %0 = graph.layer_norm %x weight %w bias %b first_dim = 1 epsilon = 0.0 : (tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<2x2xf64>
  %c = graph.constant dense<[[1000.0, -7.0], [1000.0, -7.0]]> : tensor<2x2xf64>
  %1 = graph.softmax %c dim = 0 : (tensor<2x2xf64>) -> tensor<2x2xf64>
  %d = graph.constant dense<[1000.0, 0.0]> : tensor<2xf64>
  %2 = graph.log_softmax %d dim = 0 : (tensor<2xf64>) -> tensor<2xf64>
  return %0, %1, %2 : tensor<2x2xf64>, tensor<2x2xf64>, tensor<2xf64>
}

// SHAPE: result 0: tensor<2x3xi64> = [0, 1, 2, 0, 1, 2]
// SHAPE: result 1: tensor<3x2xi32> = [1, 4, 2, 5, 3, 6]
// SHAPE: result 2: tensor<1x2xi32> = [5, 6]
// SHAPE: result 3: tensor<2x4xi32> = [0, 0, 0, 0, 0, 5, 6, 0]
// SHAPE: result 4: tensor<3x2xi32> = [1, 4, 2, 5, 3, 6]
// SHAPE: result 5: tensor<2x5xi32> = [1, 2, 3, 7, 7, 4, 5, 6, 7, 7]
func.func @shape() -> (tensor<2x3xi64>, tensor<3x2xi32>, tensor<1x2xi32>, tensor<2x4xi32>, tensor<3x2xi32>, tensor<2x5xi32>) {
  %0 = graph.iota dim = 1 : tensor<2x3xi64>
  %x = graph.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %1 = graph.transpose %x permutation = [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
  %2 = graph.slice %x offsets = [1, 1] sizes = [1, 2] : (tensor<2x3xi32>) -> tensor<1x2xi32>
  %3 = graph.pad %2 low = [1, 1] high = [0, 1] : (tensor<1x2xi32>) -> tensor<2x4xi32>
  %flat = graph.reshape %1 : (tensor<3x2xi32>) -> tensor<6xi32>
  %4 = graph.reshape %flat : (tensor<6xi32>) -> tensor<3x2xi32>
  %seven = graph.constant dense<7> : tensor<i32>
  %sevens = graph.broadcast %seven : (tensor<i32>) -> tensor<2x2xi32>
  %5 = graph.concat %x, %sevens dim = 1 : (tensor<2x3xi32>, tensor<2x2xi32>) -> tensor<2x5xi32>
  return %0, %1, %2, %3, %4, %5 : tensor<2x3xi64>, tensor<3x2xi32>, tensor<1x2xi32>, tensor<2x4xi32>, tensor<3x2xi32>, tensor<2x5xi32>
}

// Equal logits over 2 classes: each sample that counts loses log(2).
// LOSS: result 0: tensor<f64> = [0.693147180559945
// LOSS: result 1: tensor<f64> = [1.38629436111989
// LOSS: result 2: tensor<f64> = [0.693147180559945
// LOSS: result 3: tensor<f64> = [nan]
// (1 + 9) / 2
// LOSS: result 4: tensor<f64> = [5]
// Sure and right costs nothing, sure and wrong 100.
// LOSS: result 5: tensor<f64> = [100]
// LOSS: result 6: tensor<f64> = [0.693147180559945
func.func @loss() -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) {
  %x = graph.constant dense<3.0> : tensor<3x2xf64>
  %label = graph.constant dense<[0, 1, -100]> : tensor<3xi32>
  %0 = graph.cross_entropy %x, %label : (tensor<3x2xf64>, tensor<3xi32>) -> tensor<f64>
  %1 = graph.cross_entropy %x, %label reduction = <sum> : (tensor<3x2xf64>, tensor<3xi32>) -> tensor<f64>
  %mask = graph.constant dense<[true, false, true]> : tensor<3xi1>
  %2 = graph.cross_entropy %x, %label mask %mask reduction = <sum> : (tensor<3x2xf64>, tensor<3xi32>, tensor<3xi1>) -> tensor<f64>
  %none = graph.constant dense<false> : tensor<3xi1>
  %3 = graph.cross_entropy %x, %label mask %none : (tensor<3x2xf64>, tensor<3xi32>, tensor<3xi1>) -> tensor<f64>
  %a = graph.constant dense<[1.0, 2.0]> : tensor<2xf64>
  %b = graph.constant dense<[0.0, 5.0]> : tensor<2xf64>
  %4 = graph.mse %a, %b : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
  %sure = graph.constant dense<[0.0, 1.0, 1.0]> : tensor<3xf64>
  %truth = graph.constant dense<[0.0, 1.0, 0.0]> : tensor<3xf64>
  %5 = graph.binary_cross_entropy %sure, %truth reduction = <sum> : (tensor<3xf64>, tensor<3xf64>) -> tensor<f64>
  %half = graph.constant dense<0.5> : tensor<3xf64>
  %6 = graph.binary_cross_entropy %half, %truth : (tensor<3xf64>, tensor<3xf64>) -> tensor<f64>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>
}

// Towards zero; booleans are 0 and 1.
// PRECISION: result 0: tensor<3xi32> = [-2, 0, 2]
// PRECISION: result 1: tensor<2xf32> = [1, 0]
// PRECISION: result 2: tensor<2xf32> = [12, -4]
func.func @precision() -> (tensor<3xi32>, tensor<2xf32>, tensor<2xf32>) {
  %x = graph.constant dense<[-2.75, 0.5, 2.5]> : tensor<3xf32>
  %0 = graph.cast %x : (tensor<3xf32>) -> tensor<3xi32>
  %b = graph.constant dense<[true, false]> : tensor<2xi1>
  %1 = graph.cast %b : (tensor<2xi1>) -> tensor<2xf32>
  %v = graph.constant dense<[3.0, -1.0]> : tensor<2xf32>
  %s = graph.constant dense<4.0> : tensor<f32>
  %2 = graph.scale %v, %s : tensor<2xf32>, tensor<f32>
  return %0, %1, %2 : tensor<3xi32>, tensor<2xf32>, tensor<2xf32>
}

// A group is its body; an all-reduce over one rank is its input.
// GROUP: result 0: tensor<2xf32> = [9, 16]
func.func @group() -> tensor<2xf32> {
  %x = graph.constant dense<[3.0, 4.0]> : tensor<2xf32>
  %0 = graph.group <row> %x : (tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    %y = graph.mul %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    graph.yield %y : tensor<2xf32>
  }
  %1 = graph.all_reduce <average> %0 group = "data" bucket = 0 : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
