// The roundings of 16-bit parameters, worked out by hand. bf16 has 8 digits: the
// neighbours of 1 are 1 - 2^-8 and 1 + 2^-7 = 1.0078125.
// RUN: graph-eval %s --function=random | FileCheck %s --check-prefix=RANDOM
// RUN: graph-eval %s --function=special | FileCheck %s --check-prefix=SPECIAL
// RUN: graph-eval %s --function=kahan | FileCheck %s --check-prefix=KAHAN
// RUN: mpc-opt %s --mpc-decompose -o %t.mlir
// RUN: graph-eval %t.mlir --function=kahan --rounded --compare=%s
// RUN: graph-eval %t.mlir --function=stochastic --compare=%s

// 1 + 2^-9 is a quarter of the way up: 2^14 of 2^16 bits carry, from 49152 on.
// Only the low half of the bits counts (-1 is 65535, 65536 is 0).
// RANDOM: result 0: tensor<6xbf16> = [1, 1.0078125, -1, -1.0078125, 1.0078125, 1]
func.func @random() -> tensor<6xbf16> {
  %x = graph.constant dense<[1.001953125, 1.001953125, -1.001953125, -1.001953125, 1.001953125, 1.001953125]> : tensor<6xf32>
  %bits = graph.constant dense<[49151, 49152, 49151, 49152, -1, 65536]> : tensor<6xi32>
  %0 = graph.random_round %x, %bits : (tensor<6xf32>, tensor<6xi32>) -> tensor<6xbf16>
  return %0 : tensor<6xbf16>
}

// What bf16 has stays; the largest finite numbers stay finite; into the next
// power of two: 2 - 2^-8 to 2; the smallest f32, 2^-149, to 2^-133 or 0.
// SPECIAL: result 0: tensor<8xbf16> = [inf, -inf, nan, 3, 3.389531389{{[0-9]*}}e+38, 2, 9.183549615{{[0-9]*}}e-41, 0]
func.func @special() -> tensor<8xbf16> {
  %x = graph.constant dense<[0x7F800000, 0xFF800000, 0x7FC00000, 3.0, 0x7F7FFFFF, 1.99609375, 0x00000001, 0x00000001]> : tensor<8xf32>
  %bits = graph.constant dense<[65535, 65535, 65535, 65535, 65535, 65535, 65535, 65534]> : tensor<8xi32>
  %0 = graph.random_round %x, %bits : (tensor<8xf32>, tensor<8xi32>) -> tensor<8xbf16>
  return %0 : tensor<8xbf16>
}

// An update of 2^-9, a quarter of the unit 2^-7, is lost and kept. With three
// quarters kept (0.005859375) it makes a whole unit, and nothing is left. Three
// quarters at once are nearer to the unit: a quarter too much has to be paid back.
// KAHAN: result 0: tensor<3xbf16> = [1, 1.0078125, 1.0078125]
// KAHAN: result 1: tensor<3xbf16> = [0.001953125, 0, -0.001953125]
func.func @kahan() -> (tensor<3xbf16>, tensor<3xbf16>) {
  %p = graph.constant dense<1.0> : tensor<3xbf16>
  %next = graph.constant dense<[1.001953125, 1.001953125, 1.005859375]> : tensor<3xf32>
  %c = graph.constant dense<[0.0, 0.005859375, 0.0]> : tensor<3xbf16>
  %0:2 = graph.kahan_round %p, %next, %c : (tensor<3xbf16>, tensor<3xf32>, tensor<3xbf16>) -> (tensor<3xbf16>, tensor<3xbf16>)
  return %0#0, %0#1 : tensor<3xbf16>, tensor<3xbf16>
}

func.func @stochastic(%x: tensor<5x3x7xf32>) -> tensor<5x3x7xbf16> {
  %step = graph.constant dense<17> : tensor<i32>
  %seed = graph.constant dense<-5> : tensor<i32>
  %0 = graph.stochastic_round %x step %step seed %seed stream = 3 : (tensor<5x3x7xf32>, tensor<i32>, tensor<i32>) -> tensor<5x3x7xbf16>
  return %0 : tensor<5x3x7xbf16>
}

// The mean of many roundings is the number: 1 + i * 2^-23 for all i below 2^16,
// every place between two neighbours once. Of the mean error, in units of 2^-7,
// the standard deviation is sqrt(1/6 / 2^16) = 0.0016; five of them are 0.008.
// RUN: graph-eval %s --function=unbiased | FileCheck %s --check-prefix=UNBIASED
// RUN: graph-eval %t.mlir --function=unbiased --rounded | FileCheck %s --check-prefix=UNBIASED
// UNBIASED: result 0: tensor<i1> = [1]
// UNBIASED: result 1: tensor<i1> = [1]
func.func @unbiased() -> (tensor<i1>, tensor<i1>) {
  %step = graph.constant dense<3> : tensor<i32>
  %seed = graph.constant dense<12345> : tensor<i32>
  %i = graph.iota dim = 0 : tensor<65536xi32>
  %f = graph.cast %i : (tensor<65536xi32>) -> tensor<65536xf32>
  %unit = graph.constant dense<1.1920928955078125e-07> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %0 = graph.mul %f, %unit : (tensor<65536xf32>, tensor<f32>) -> tensor<65536xf32>
  %x = graph.add %0, %one : (tensor<65536xf32>, tensor<f32>) -> tensor<65536xf32>
  %r = graph.stochastic_round %x step %step seed %seed stream = 0 : (tensor<65536xf32>, tensor<i32>, tensor<i32>) -> tensor<65536xbf16>
  %wide = graph.cast %r : (tensor<65536xbf16>) -> tensor<65536xf64>
  %exact = graph.cast %x : (tensor<65536xf32>) -> tensor<65536xf64>
  %error = graph.sub %wide, %exact : (tensor<65536xf64>, tensor<65536xf64>) -> tensor<65536xf64>
  %units = graph.constant dense<128.0> : tensor<f64>
  %scaled = graph.mul %error, %units : (tensor<65536xf64>, tensor<f64>) -> tensor<65536xf64>
  %mean = graph.mean %scaled dims = [0] : (tensor<65536xf64>) -> tensor<f64>
  %magnitude = graph.abs %mean : tensor<f64>
  %bound = graph.constant dense<0.008> : tensor<f64>
  %isUnbiased = graph.compare <lt> %magnitude, %bound : (tensor<f64>, tensor<f64>) -> tensor<i1>
  // It is no rounding to nearest: some elements go the longer way.
  %size = graph.abs %scaled : tensor<65536xf64>
  %largest = graph.max %size dims = [0] : (tensor<65536xf64>) -> tensor<f64>
  %half = graph.constant dense<0.9> : tensor<f64>
  %isRandom = graph.compare <gt> %largest, %half : (tensor<f64>, tensor<f64>) -> tensor<i1>
  return %isUnbiased, %isRandom : tensor<i1>, tensor<i1>
}
