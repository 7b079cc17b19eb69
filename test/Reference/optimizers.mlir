// The interpreter's optimizers against torch's formulas worked out by hand.
// RUN: graph-eval %s --function=sgd | FileCheck %s --check-prefix=SGD
// RUN: graph-eval %s --function=momentum | FileCheck %s --check-prefix=MOMENTUM
// RUN: graph-eval %s --function=nesterov | FileCheck %s --check-prefix=NESTEROV
// RUN: graph-eval %s --function=adamw | FileCheck %s --check-prefix=ADAMW
// RUN: graph-eval %s --function=dampening | FileCheck %s --check-prefix=DAMPENING
// RUN: graph-eval %s --function=first_dampened | FileCheck %s --check-prefix=FIRST
// RUN: graph-eval %s --function=adam | FileCheck %s --check-prefix=ADAM
// RUN: graph-eval %s --function=adagrad | FileCheck %s --check-prefix=ADAGRAD
// RUN: graph-eval %s --function=rmsprop | FileCheck %s --check-prefix=RMSPROP
// RUN: graph-eval %s --function=centered | FileCheck %s --check-prefix=CENTERED
// RUN: graph-eval %s --function=lamb | FileCheck %s --check-prefix=LAMB
// RUN: graph-eval %s --function=lamb_of_zero | FileCheck %s --check-prefix=ZERO
// RUN: graph-eval %s --function=lomo | FileCheck %s --check-prefix=LOMO
// What the evaluator says is what the decomposition computes.
// RUN: mpc-opt %s --mpc-decompose -o %t.mlir
// RUN: graph-eval %t.mlir --function=sgd --compare=%s
// RUN: graph-eval %t.mlir --function=momentum --compare=%s
// RUN: graph-eval %t.mlir --function=nesterov --compare=%s
// RUN: graph-eval %t.mlir --function=dampening --compare=%s
// RUN: graph-eval %t.mlir --function=first_dampened --compare=%s
// RUN: graph-eval %t.mlir --function=adam --compare=%s
// RUN: graph-eval %t.mlir --function=adamw --compare=%s
// RUN: graph-eval %t.mlir --function=adagrad --compare=%s
// RUN: graph-eval %t.mlir --function=rmsprop --compare=%s
// RUN: graph-eval %t.mlir --function=centered --compare=%s
// RUN: graph-eval %t.mlir --function=lamb --compare=%s
// RUN: graph-eval %t.mlir --function=lamb_of_zero --compare=%s
// RUN: graph-eval %t.mlir --function=lomo --compare=%s

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

// buffer = 0.5 * 4 + (1 - 0.25) * 1 = 2.75; p = 2 - 0.5 * 2.75
// DAMPENING: result 0: tensor<f64> = [0.625]
// DAMPENING: result 1: tensor<f64> = [2.75]
func.func @dampening() -> (tensor<f64>, tensor<f64>) {
  %p = graph.constant dense<2.0> : tensor<f64>
  %g = graph.constant dense<1.0> : tensor<f64>
  %m = graph.constant dense<4.0> : tensor<f64>
  %lr = graph.constant dense<0.5> : tensor<f64>
  %step = graph.constant dense<2> : tensor<i32>
  %0, %1 = graph.sgd %p, %g momentum_buffer %m lr %lr step %step {momentum = 0.5 : f64, dampening = 0.25 : f64} : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<i32>) -> (tensor<f64>, tensor<f64>)
  return %0, %1 : tensor<f64>, tensor<f64>
}

// The first step takes the gradient as it is: buffer = 1; p = 2 - 0.5 * 1
// FIRST: result 0: tensor<f64> = [1.5]
// FIRST: result 1: tensor<f64> = [1]
func.func @first_dampened() -> (tensor<f64>, tensor<f64>) {
  %p = graph.constant dense<2.0> : tensor<f64>
  %g = graph.constant dense<1.0> : tensor<f64>
  %m = graph.constant dense<0.0> : tensor<f64>
  %lr = graph.constant dense<0.5> : tensor<f64>
  %step = graph.constant dense<1> : tensor<i32>
  %0, %1 = graph.sgd %p, %g momentum_buffer %m lr %lr step %step {momentum = 0.5 : f64, dampening = 0.25 : f64} : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<i32>) -> (tensor<f64>, tensor<f64>)
  return %0, %1 : tensor<f64>, tensor<f64>
}

// g <- 1 + 0.5 * 2 = 2, and then as above, but p does not shrink:
//   p <- 2 - 0.5 * 2 / (1.25 / sqrt(0.4375) + 0.25) = 1.53267...
// ADAM: result 0: tensor<f64> = [1.53267148
// ADAM: result 1: tensor<f64> = [1.5]
// ADAM: result 2: tensor<f64> = [1.5625]
func.func @adam() -> (tensor<f64>, tensor<f64>, tensor<f64>) {
  %p = graph.constant dense<2.0> : tensor<f64>
  %g = graph.constant dense<1.0> : tensor<f64>
  %m = graph.constant dense<1.0> : tensor<f64>
  %v = graph.constant dense<0.75> : tensor<f64>
  %lr = graph.constant dense<0.5> : tensor<f64>
  %step = graph.constant dense<2> : tensor<i32>
  %0, %1, %2 = graph.adam %p, %g, %m, %v lr %lr step %step {beta1 = 0.5 : f64, beta2 = 0.75 : f64, epsilon = 0.25 : f64, weight_decay = 0.5 : f64} : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<i32>) -> (tensor<f64>, tensor<f64>, tensor<f64>)
  return %0, %1, %2 : tensor<f64>, tensor<f64>, tensor<f64>
}

// sum = 3 + 1 = 4; rate = 0.5 / (1 + 4 * 0.25) = 0.25; p = 2 - 0.25 / (2 + 0.5)
// ADAGRAD: result 0: tensor<f64> = [1.9]
// ADAGRAD: result 1: tensor<f64> = [4]
func.func @adagrad() -> (tensor<f64>, tensor<f64>) {
  %p = graph.constant dense<2.0> : tensor<f64>
  %g = graph.constant dense<1.0> : tensor<f64>
  %s = graph.constant dense<3.0> : tensor<f64>
  %lr = graph.constant dense<0.5> : tensor<f64>
  %step = graph.constant dense<5> : tensor<i32>
  %0, %1 = graph.adagrad %p, %g, %s lr %lr step %step {epsilon = 0.5 : f64, lr_decay = 0.25 : f64} : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<i32>) -> (tensor<f64>, tensor<f64>)
  return %0, %1 : tensor<f64>, tensor<f64>
}

// square = 0.5 * 7 + 0.5 * 1 = 4; p = 2 - 0.5 * 1 / (2 + 0.5)
// RMSPROP: result 0: tensor<f64> = [1.8]
// RMSPROP: result 1: tensor<f64> = [4]
func.func @rmsprop() -> (tensor<f64>, tensor<f64>) {
  %p = graph.constant dense<2.0> : tensor<f64>
  %g = graph.constant dense<1.0> : tensor<f64>
  %s = graph.constant dense<7.0> : tensor<f64>
  %lr = graph.constant dense<0.5> : tensor<f64>
  %0, %1 = graph.rmsprop %p, %g averages %s lr %lr {alpha = 0.5 : f64, epsilon = 0.5 : f64} : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return %0, %1 : tensor<f64>, tensor<f64>
}

// square = (9 + 1) / 2 = 5, mean = (3 + 1) / 2 = 2, d = sqrt(5 - 4) + 1 = 2
// buffer = 0.5 * 1 + 1 / 2 = 1; p = 2 - 0.5 * 1
// CENTERED: result 0: tensor<f64> = [1.5]
// CENTERED: result 1: tensor<f64> = [5]
// CENTERED: result 2: tensor<f64> = [1]
// CENTERED: result 3: tensor<f64> = [2]
func.func @centered() -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) {
  %p = graph.constant dense<2.0> : tensor<f64>
  %g = graph.constant dense<1.0> : tensor<f64>
  %s = graph.constant dense<9.0> : tensor<f64>
  %b = graph.constant dense<1.0> : tensor<f64>
  %a = graph.constant dense<3.0> : tensor<f64>
  %lr = graph.constant dense<0.5> : tensor<f64>
  %0:4 = graph.rmsprop %p, %g averages %s, %b, %a lr %lr {alpha = 0.5 : f64, epsilon = 1.0 : f64, momentum = 0.5 : f64, centered} : (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>)
  return %0#0, %0#1, %0#2, %0#3 : tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>
}

// Without averaging u = g / |g| = (1, -1), |p| = 5, |u| = sqrt(2): the step is
// lr * 5 / sqrt(2) = 0.5 long in each element.
// LAMB: result 0: tensor<2xf64> = [2.5{{[0-9]*}}, 4.5{{[0-9]*}}]
// LAMB: result 1: tensor<2xf64> = [7, -2]
// LAMB: result 2: tensor<2xf64> = [49, 4]
func.func @lamb() -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) {
  %p = graph.constant dense<[3.0, 4.0]> : tensor<2xf64>
  %g = graph.constant dense<[7.0, -2.0]> : tensor<2xf64>
  %m = graph.constant dense<1.0> : tensor<2xf64>
  %lr = graph.constant dense<0.14142135623730951> : tensor<f64>
  %step = graph.constant dense<1> : tensor<i32>
  %0, %1, %2 = graph.lamb %p, %g, %m, %m lr %lr step %step {beta1 = 0.0 : f64, beta2 = 0.0 : f64, epsilon = 0.0 : f64} : (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<f64>, tensor<i32>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>)
  return %0, %1, %2 : tensor<2xf64>, tensor<2xf64>, tensor<2xf64>
}

// A parameter of zeros has trust ratio 1: it moves by lr * u.
// ZERO: result 0: tensor<2xf64> = [-0.5, 0.5]
func.func @lamb_of_zero() -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) {
  %p = graph.constant dense<0.0> : tensor<2xf64>
  %g = graph.constant dense<[7.0, -2.0]> : tensor<2xf64>
  %m = graph.constant dense<1.0> : tensor<2xf64>
  %lr = graph.constant dense<0.5> : tensor<f64>
  %step = graph.constant dense<1> : tensor<i32>
  %0, %1, %2 = graph.lamb %p, %g, %m, %m lr %lr step %step {beta1 = 0.0 : f64, beta2 = 0.0 : f64, epsilon = 0.0 : f64} : (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<f64>, tensor<i32>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>)
  return %0, %1, %2 : tensor<2xf64>, tensor<2xf64>, tensor<2xf64>
}

// p = 2 * (1 - 0.5 * 0.5) - 0.5 * 1
// LOMO: result 0: tensor<f64> = [1]
func.func @lomo() -> tensor<f64> {
  %p = graph.constant dense<2.0> : tensor<f64>
  %g = graph.constant dense<1.0> : tensor<f64>
  %lr = graph.constant dense<0.5> : tensor<f64>
  %0 = graph.lomo %p, %g lr %lr {weight_decay = 0.5 : f64} : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}
