// The interpreter's optimizers against torch's formulas worked out by hand.
// RUN: graph-eval %s --function=sgd | FileCheck %s --check-prefix=SGD
// RUN: graph-eval %s --function=momentum | FileCheck %s --check-prefix=MOMENTUM
// RUN: graph-eval %s --function=nesterov | FileCheck %s --check-prefix=NESTEROV
// RUN: graph-eval %s --function=adamw | FileCheck %s --check-prefix=ADAMW

// p = 2 - 0.5 * (1 + 0.25 * 2)
// SGD: result 0: tensor<f64> = [1.25]
func.func @sgd() -> tensor<f64> {
  %p = graph.constant dense<2.0> : tensor<f64>
  %g = graph.constant dense<1.0> : tensor<f64>
  %lr = graph.constant dense<0.5> : tensor<f64>
  %0 = graph.sgd %p, %g lr %lr {weight_decay = 0.25 : f64} : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}

// buffer = 0.5 * 4 + 1 = 3; p = 2 - 0.5 * 3
// MOMENTUM: result 0: tensor<f64> = [0.5]
// MOMENTUM: result 1: tensor<f64> = [3]
func.func @momentum() -> (tensor<f64>, tensor<f64>) {
  %p = graph.constant dense<2.0> : tensor<f64>
  %g = graph.constant dense<1.0> : tensor<f64>
  %m = graph.constant dense<4.0> : tensor<f64>
  %lr = graph.constant dense<0.5> : tensor<f64>
  %0, %1 = graph.sgd %p, %g momentum_buffer %m lr %lr {momentum = 0.5 : f64} : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0, %1 : tensor<f64>, tensor<f64>
}

// buffer = 3; direction = 1 + 0.5 * 3 = 2.5; p = 2 - 0.5 * 2.5
// NESTEROV: result 0: tensor<f64> = [0.75]
// NESTEROV: result 1: tensor<f64> = [3]
func.func @nesterov() -> (tensor<f64>, tensor<f64>) {
  %p = graph.constant dense<2.0> : tensor<f64>
  %g = graph.constant dense<1.0> : tensor<f64>
  %m = graph.constant dense<4.0> : tensor<f64>
  %lr = graph.constant dense<0.5> : tensor<f64>
  %0, %1 = graph.sgd %p, %g momentum_buffer %m lr %lr {momentum = 0.5 : f64, nesterov} : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0, %1 : tensor<f64>, tensor<f64>
}

// Step 2 with beta 0.5, 0.75 and epsilon 0.25, moments m = 1, v = 0.75:
//   p <- 2 * (1 - 0.5 * 0.5) = 1.5
//   m <- 1 + (2 - 1) * 0.5 = 1.5            1 - 0.5^2 = 0.75, 1.5 / 0.75 = 2
//   v <- 0.75 * 0.75 + 0.25 * 4 = 1.5625    1 - 0.75^2 = 0.4375
//   p <- 1.5 - 0.5 * 2 / (1.25 / sqrt(0.4375) + 0.25) = 1.03267...
// ADAMW: result 0: tensor<f64> = [1.03267148
// ADAMW: result 1: tensor<f64> = [1.5]
// ADAMW: result 2: tensor<f64> = [1.5625]
func.func @adamw() -> (tensor<f64>, tensor<f64>, tensor<f64>) {
  %p = graph.constant dense<2.0> : tensor<f64>
  %g = graph.constant dense<2.0> : tensor<f64>
  %m = graph.constant dense<1.0> : tensor<f64>
  %v = graph.constant dense<0.75> : tensor<f64>
  %lr = graph.constant dense<0.5> : tensor<f64>
  %step = graph.constant dense<2> : tensor<i32>
  %0, %1, %2 = graph.adamw %p, %g, %m, %v lr %lr step %step {beta1 = 0.5 : f64, beta2 = 0.75 : f64, epsilon = 0.25 : f64, weight_decay = 0.5 : f64} : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<i32>) -> (tensor<f64>, tensor<f64>, tensor<f64>)
  return %0, %1, %2 : tensor<f64>, tensor<f64>, tensor<f64>
}
