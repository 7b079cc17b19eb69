// The interpreter against numbers worked out by hand, and the ways to call it.
// RUN: graph-eval %s --function=values | FileCheck %s --check-prefix=VALUES
// RUN: graph-eval %s --function=third --rounded | FileCheck %s --check-prefix=ROUNDED
// RUN: graph-eval %s --function=third | FileCheck %s --check-prefix=EXACT
// RUN: graph-eval %s --function=argument --input=x=3 | FileCheck %s --check-prefix=INPUT
// RUN: graph-eval %s --function=twice --compare-function=doubled | FileCheck %s --check-prefix=EQUAL
// RUN: not graph-eval %s --function=twice --compare-function=argument | FileCheck %s --check-prefix=DIFFERENT
// RUN: not graph-eval %s --function=nothing 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not graph-eval %s --function=label 2>&1 | FileCheck %s --check-prefix=LABEL
// RUN: not graph-eval %s --function=integer --input=arg0=inf 2>&1 | FileCheck %s --check-prefix=INTEGER
// RUN: cat %s | graph-eval - --function=twice --compare=%s --compare-function=doubled | FileCheck %s --check-prefix=EQUAL

// VALUES: loss: tensor<f64> = [0.5]
// VALUES: output softmax: tensor<2xf64> = [0.75, 0.25]
// VALUES: output sums: tensor<2xf64> = [3, 7]
// VALUES: output product: tensor<2x2xf64> = [5, 11, 11, 25]
func.func @values() -> (tensor<f64> {graph.loss}, tensor<2xf64> {graph.output = "softmax"}, tensor<2xf64> {graph.output = "sums"}, tensor<2x2xf64> {graph.output = "product"}) {
  %a = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf64>
  %three = graph.constant dense<[3.0, 1.0]> : tensor<2xf64>
  %logits = graph.log %three : tensor<2xf64>
  %softmax = graph.softmax %logits dim = 0 : (tensor<2xf64>) -> tensor<2xf64>
  %zeros = graph.constant dense<[[0.5, 2.5], [2.0, 4.0]]> : tensor<2x2xf64>
  %loss = graph.mse %a, %zeros reduction = <sum> : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<f64>
  %two = graph.constant dense<3.0> : tensor<f64>
  %mean = graph.div %loss, %two : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %sums = graph.sum %a dims = [1] : (tensor<2x2xf64>) -> tensor<2xf64>
  %product = graph.matmul %a, %a transpose_rhs : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
  return %mean, %softmax, %sums, %product : tensor<f64>, tensor<2xf64>, tensor<2xf64>, tensor<2x2xf64>
}

// 1/3 in f16 is 0x3555 = 0.333251953125.
// ROUNDED: = [0.333251953125]
// EXACT: = [0.3333333333333333]
func.func @third() -> tensor<f16> {
  %one = graph.constant dense<1.0> : tensor<f16>
  %three = graph.constant dense<3.0> : tensor<f16>
  %third = graph.div %one, %three : (tensor<f16>, tensor<f16>) -> tensor<f16>
  return %third : tensor<f16>
}

// INPUT: result 0: tensor<2xf32> = [3, 3]
// DIFFERENT: result 0 differs: element
func.func @argument(%x: tensor<2xf32> {graph.input = "x"}) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// EQUAL: equal: 1 results, largest difference 0
func.func @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = graph.add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @doubled(%x: tensor<2xf32>) -> tensor<2xf32> {
  %two = graph.constant dense<2.0> : tensor<f32>
  %0 = graph.mul %x, %two : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// MISSING: error: no function 'nothing'

// LABEL: error: expected labels from 0 to 1, but got 2
func.func @label() -> tensor<f32> {
  %logits = graph.constant dense<0.0> : tensor<1x2xf32>
  %labels = graph.constant dense<2> : tensor<1xi32>
  %loss = graph.cross_entropy %logits, %labels : (tensor<1x2xf32>, tensor<1xi32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// INTEGER: error: expected an integer, but got 'inf'
func.func @integer(%x: tensor<2xi32>) -> tensor<2xi32> {
  return %x : tensor<2xi32>
}
