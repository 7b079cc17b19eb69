// RUN: mpc-opt %s --mpc-decompose --cse -o %t.mlir
// RUN: not grep -E "graph\.(softmax|log_softmax|layer_norm|cross_entropy|mse|binary_cross_entropy|mean|global_norm|scale |unscale|scaler_update|sgd|adamw)" %t.mlir
// RUN: bash -c 'for f in softmax log_softmax layer_norm layer_norm_bare layer_norm_mixed cross_entropy wide_labels sum_of_losses mse binary_cross_entropy mean mean_large mean_f16 matmul_f32_to_bf16 matmul_f16_to_bf16 matmul_bias matmul_bias_mixed convolution_bias global_norm norm_types norm_special unscale unscale_bad scaler_skip scaler_grow scaler_wait scale sgd_plain adamw_slow; do graph-eval %t.mlir --function=$f --compare=%s --rtol=1e-7 --atol=1e-9 || { echo $f; exit 1; }; done'
// RUN: bash -c 'for f in sgd adamw; do graph-eval %t.mlir --function=$f --compare=%s --rtol=1e-6 --atol=1e-7 || { echo $f; exit 1; }; done'
// RUN: graph-eval %t.mlir --function=scaler_refuse --rounded --compare=%s
// RUN: graph-eval %t.mlir --function=scaler_refuse --rounded | FileCheck %s --check-prefix=REFUSE
// RUN: bash -c 'for f in mean_to_narrow softmax_to_narrow softmax_to_f32; do graph-eval %t.mlir --function=$f --rounded --compare=%s --rtol=1e-3 || { echo $f; exit 1; }; done'
// RUN: graph-eval %t.mlir --function=adamw_first | FileCheck %s --check-prefix=FIRST
// What a composite is made of computes what the composite says, evaluated in
// f64 on both sides by the reference interpreter. The interpreter itself knows
// composites by their definition, not by their parts. In f32 a constant such as
// 0.9 is one of the parts and is rounded to f32.

func.func @softmax(%x: tensor<3x5x2xf32>) -> (tensor<3x5x2xf32>, tensor<3x5x2xf64>) {
  %0 = graph.softmax %x dim = 1 : (tensor<3x5x2xf32>) -> tensor<3x5x2xf32>
  %1 = graph.cast %x : (tensor<3x5x2xf32>) -> tensor<3x5x2xf64>
  %2 = graph.softmax %1 dim = 2 : (tensor<3x5x2xf64>) -> tensor<3x5x2xf64>
  return %0, %2 : tensor<3x5x2xf32>, tensor<3x5x2xf64>
}
func.func @log_softmax(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %c = graph.constant dense<1.0e3> : tensor<f32>
  %0 = graph.mul %x, %c : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %1 = graph.log_softmax %0 dim = 1 : (tensor<3x5xf32>) -> tensor<3x5xf32>
  return %1 : tensor<3x5xf32>
}
func.func @layer_norm(%x: tensor<4x2x3xf32>, %w: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<4x2x3xf32> {
  %0 = graph.layer_norm %x weight %w bias %b first_dim = 1 epsilon = 1.0e-3 : (tensor<4x2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x2x3xf32>
  return %0 : tensor<4x2x3xf32>
}
func.func @layer_norm_bare(%x: tensor<7xf32>) -> tensor<7xf32> {
  %0 = graph.layer_norm %x first_dim = 0 : (tensor<7xf32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}
func.func @layer_norm_mixed(%x: tensor<4x6xf16>, %w: tensor<6xf32>, %b: tensor<6xbf16>) -> (tensor<4x6xf16>, tensor<4x6xf32>) {
  %0 = graph.layer_norm %x weight %w bias %b first_dim = 1 : (tensor<4x6xf16>, tensor<6xf32>, tensor<6xbf16>) -> tensor<4x6xf16>
  %1 = graph.cast %x : (tensor<4x6xf16>) -> tensor<4x6xf32>
  %2 = graph.layer_norm %1 bias %b first_dim = 1 : (tensor<4x6xf32>, tensor<6xbf16>) -> tensor<4x6xf32>
  return %0, %2 : tensor<4x6xf16>, tensor<4x6xf32>
}
// The label that does not count is no f64.
func.func @wide_labels(%z: tensor<3x2xf32>) -> tensor<f32> {
  %labels = graph.constant dense<[9007199254740993, 0, 1]> : tensor<3xi64>
  %0 = graph.cross_entropy %z, %labels ignore_index = 9007199254740993 : (tensor<3x2xf32>, tensor<3xi64>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func @cross_entropy(%z: tensor<4x3xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %l = graph.constant dense<[2, -100, 0, 1]> : tensor<4xi32>
  %l64 = graph.constant dense<[2, 1, 0, 1]> : tensor<4xi64>
  %m = graph.constant dense<[true, true, false, true]> : tensor<4xi1>
  %0 = graph.cross_entropy %z, %l : (tensor<4x3xf32>, tensor<4xi32>) -> tensor<f32>
  %1 = graph.cross_entropy %z, %l mask %m : (tensor<4x3xf32>, tensor<4xi32>, tensor<4xi1>) -> tensor<f32>
  %2 = graph.cross_entropy %z, %l64 ignore_index = 1 : (tensor<4x3xf32>, tensor<4xi64>) -> tensor<f32>
  return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<f32>
}
func.func @sum_of_losses(%z: tensor<2x2x3xf32>) -> tensor<f32> {
  %l = graph.constant dense<[[2, -100], [0, 1]]> : tensor<2x2xi32>
  %0 = graph.cross_entropy %z, %l reduction = <sum> : (tensor<2x2x3xf32>, tensor<2x2xi32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func @mse(%x: tensor<3x5xf32>, %y: tensor<3x5xf32>) -> (tensor<f32>, tensor<f32>) {
  %0 = graph.mse %x, %y : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<f32>
  %1 = graph.mse %x, %y reduction = <sum> : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}
func.func @binary_cross_entropy(%x: tensor<3x5xf32>, %y: tensor<3x5xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %p = graph.sigmoid %x : tensor<3x5xf32>
  %t = graph.sigmoid %y : tensor<3x5xf32>
  %0 = graph.binary_cross_entropy %p, %t : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<f32>
  %1 = graph.binary_cross_entropy %p, %t reduction = <sum> : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<f32>
  %certain = graph.constant dense<[0.0, 1.0, 1.0]> : tensor<3xf32>
  %truth = graph.constant dense<[0.0, 1.0, 0.0]> : tensor<3xf32>
  %2 = graph.binary_cross_entropy %certain, %truth reduction = <sum> : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<f32>
}
func.func @mean(%x: tensor<3x5x2xf32>) -> (tensor<5xf32>, tensor<3x5x1xf32>, tensor<f32>) {
  %0 = graph.mean %x dims = [0, 2] : (tensor<3x5x2xf32>) -> tensor<5xf32>
  %1 = graph.mean %x dims = [2] keep : (tensor<3x5x2xf32>) -> tensor<3x5x1xf32>
  %2 = graph.mean %x dims = [0, 1, 2] : (tensor<3x5x2xf32>) -> tensor<f32>
  return %0, %1, %2 : tensor<5xf32>, tensor<3x5x1xf32>, tensor<f32>
}
func.func @mean_large(%x: tensor<20x7x128xf32>) -> (tensor<f32>, tensor<1x1x1xf32>) {
  %0 = graph.mean %x dims = [0, 1, 2] : (tensor<20x7x128xf32>) -> tensor<f32>
  %1 = graph.mean %x dims = [0, 1, 2] keep : (tensor<20x7x128xf32>) -> tensor<1x1x1xf32>
  return %0, %1 : tensor<f32>, tensor<1x1x1xf32>
}
func.func @mean_f16(%x: tensor<3x5xf16>) -> tensor<3xf16> {
  %0 = graph.mean %x dims = [1] : (tensor<3x5xf16>) -> tensor<3xf16>
  return %0 : tensor<3xf16>
}
// A narrower dtype is that of the result: 100000 is no f16, and 1000000001 no
// f32.
func.func @mean_to_narrow() -> (tensor<f16>, tensor<f16>) {
  %x = graph.constant dense<[1.0e5, -1.0e5, 2.0, 6.0]> : tensor<4xf32>
  %0 = graph.mean %x dims = [0] dtype = f16 : (tensor<4xf32>) -> tensor<f16>
  %1 = graph.sum %x dims = [0] dtype = f16 : (tensor<4xf32>) -> tensor<f16>
  return %0, %1 : tensor<f16>, tensor<f16>
}
func.func @softmax_to_narrow() -> (tensor<2xf16>, tensor<2xf16>) {
  %x = graph.constant dense<[1.0e5, 100001.0]> : tensor<2xf32>
  %0 = graph.softmax %x dim = 0 dtype = f16 : (tensor<2xf32>) -> tensor<2xf16>
  %1 = graph.log_softmax %x dim = 0 dtype = f16 : (tensor<2xf32>) -> tensor<2xf16>
  return %0, %1 : tensor<2xf16>, tensor<2xf16>
}
func.func @softmax_to_f32() -> tensor<2xf32> {
  %x = graph.constant dense<[1.0e9, 1000000001.0]> : tensor<2xf64>
  %0 = graph.softmax %x dim = 0 dtype = f32 : (tensor<2xf64>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// No library yields bf16 from these.
func.func @matmul_f32_to_bf16(%x: tensor<2x3x5xf32>, %y: tensor<4x5xf32>) -> tensor<2x3x4xbf16> {
  %0 = graph.matmul %x, %y transpose_rhs dtype = bf16 : (tensor<2x3x5xf32>, tensor<4x5xf32>) -> tensor<2x3x4xbf16>
  return %0 : tensor<2x3x4xbf16>
}
func.func @matmul_f16_to_bf16(%x: tensor<5x3xf16>, %y: tensor<5x4xf16>) -> tensor<3x4xbf16> {
  %0 = graph.matmul %x, %y transpose_lhs dtype = bf16 : (tensor<5x3xf16>, tensor<5x4xf16>) -> tensor<3x4xbf16>
  return %0 : tensor<3x4xbf16>
}
func.func @matmul_bias(%x: tensor<2x3x5xf32>, %y: tensor<4x5xf32>, %b: tensor<4xf32>) -> tensor<2x3x4xf32> {
  %0 = graph.matmul %x, %y bias %b transpose_rhs : (tensor<2x3x5xf32>, tensor<4x5xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}
func.func @matmul_bias_mixed(%x: tensor<5x3xf16>, %y: tensor<5x4xf16>, %b: tensor<4xbf16>) -> tensor<3x4xbf16> {
  %0 = graph.matmul %x, %y bias %b transpose_lhs dtype = bf16 : (tensor<5x3xf16>, tensor<5x4xf16>, tensor<4xbf16>) -> tensor<3x4xbf16>
  return %0 : tensor<3x4xbf16>
}
func.func @convolution_bias(%x: tensor<2x4x5x3xf32>, %w: tensor<6x2x2x2xf32>, %b: tensor<6xf32>, %l: tensor<2x3x4x5xf32>, %p: tensor<4x1x1x5xf32>, %v: tensor<5x1x1x4xf32>, %c: tensor<4xf32>)
    -> (tensor<2x6x4x2xf32>, tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>, tensor<2x6x8x4xf32>) {
  %0 = graph.convolution %x, %w bias %b groups = 2 : (tensor<2x4x5x3xf32>, tensor<6x2x2x2xf32>, tensor<6xf32>) -> tensor<2x6x4x2xf32>
  %1 = graph.convolution %l, %p bias %c channels_last : (tensor<2x3x4x5xf32>, tensor<4x1x1x5xf32>, tensor<4xf32>) -> tensor<2x3x4x4xf32>
  %2 = graph.transposed_convolution %l, %v bias %c channels_last : (tensor<2x3x4x5xf32>, tensor<5x1x1x4xf32>, tensor<4xf32>) -> tensor<2x3x4x4xf32>
  %3 = graph.transposed_convolution %l, %v bias %c sizes = [6, 8] strides = [2, 2] channels_last : (tensor<2x3x4x5xf32>, tensor<5x1x1x4xf32>, tensor<4xf32>) -> tensor<2x6x8x4xf32>
  return %0, %1, %2, %3 : tensor<2x6x4x2xf32>, tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>, tensor<2x6x8x4xf32>
}
// 2048 and 2176 are long enough to be folded as rows.
func.func @global_norm(%x: tensor<2176xf32>, %y: tensor<3x5xf32>, %z: tensor<f32>, %v: tensor<7xf64>) -> tensor<f32> {
  %0 = graph.global_norm %x, %y, %z, %v : (tensor<2176xf32>, tensor<3x5xf32>, tensor<f32>, tensor<7xf64>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func @norm_types(%x: tensor<2176xf32>, %y: tensor<3x5xf32>, %z: tensor<f32>, %v: tensor<7xf64>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %0 = graph.global_norm %x, %y, %z, %v norm_type = 1.0 : (tensor<2176xf32>, tensor<3x5xf32>, tensor<f32>, tensor<7xf64>) -> tensor<f32>
  %1 = graph.global_norm %x, %y, %z, %v norm_type = 0.5 : (tensor<2176xf32>, tensor<3x5xf32>, tensor<f32>, tensor<7xf64>) -> tensor<f32>
  %2 = graph.global_norm %x, %y, %z, %v norm_type = 4.0 : (tensor<2176xf32>, tensor<3x5xf32>, tensor<f32>, tensor<7xf64>) -> tensor<f32>
  %3 = graph.global_norm %x, %y, %z, %v norm_type = inf : (tensor<2176xf32>, tensor<3x5xf32>, tensor<f32>, tensor<7xf64>) -> tensor<f32>
  %4 = graph.global_norm %y norm_type = 2.0 : (tensor<3x5xf32>) -> tensor<f32>
  return %0, %1, %2, %3, %4 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}
// Zeros, infinity and NaN are the norm that the definition has; 3e38 to the
// fourth power is beyond f32, and its norm is not.
func.func @norm_special() -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %zero = graph.constant dense<0.0> : tensor<3xf32>
  %inf = graph.constant dense<[1.0, 0xFF800000]> : tensor<2xf32>
  %nan = graph.constant dense<[1.0, 0x7FC00000]> : tensor<2xf32>
  %huge = graph.constant dense<[3.0e38, 0.0]> : tensor<2xf32>
  %0 = graph.global_norm %zero norm_type = 1.5 : (tensor<3xf32>) -> tensor<f32>
  %1 = graph.global_norm %inf norm_type = 1.5 : (tensor<2xf32>) -> tensor<f32>
  %2 = graph.global_norm %nan norm_type = 1.5 : (tensor<2xf32>) -> tensor<f32>
  %3 = graph.global_norm %huge norm_type = 4.0 : (tensor<2xf32>) -> tensor<f32>
  %4 = graph.global_norm %nan norm_type = inf : (tensor<2xf32>) -> tensor<f32>
  %5 = graph.global_norm %inf norm_type = 1.0 : (tensor<2xf32>) -> tensor<f32>
  return %0, %1, %2, %3, %4, %5 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}
func.func @unscale(%x: tensor<2048xf32>, %y: tensor<3x5xf32>, %z: tensor<f32>) -> (tensor<2048xf32>, tensor<3x5xf32>, tensor<f32>, tensor<i1>) {
  %s = graph.constant dense<1024.0> : tensor<f32>
  %0:4 = graph.unscale %s, %x, %y, %z : (tensor<f32>, tensor<2048xf32>, tensor<3x5xf32>, tensor<f32>) -> (tensor<2048xf32>, tensor<3x5xf32>, tensor<f32>, tensor<i1>)
  return %0#0, %0#1, %0#2, %0#3 : tensor<2048xf32>, tensor<3x5xf32>, tensor<f32>, tensor<i1>
}
func.func @unscale_bad(%x: tensor<3x5xf32>) -> (tensor<i1>, tensor<i1>, tensor<i1>) {
  %s = graph.constant dense<3.0> : tensor<f32>
  %inf = graph.constant dense<[1.0, 0x7F800000]> : tensor<2xf32>
  %minus = graph.constant dense<[0xFF800000, 1.0]> : tensor<2xf32>
  %nan = graph.constant dense<[1.0, 0x7FC00000]> : tensor<2xf32>
  %0:3 = graph.unscale %s, %x, %inf : (tensor<f32>, tensor<3x5xf32>, tensor<2xf32>) -> (tensor<3x5xf32>, tensor<2xf32>, tensor<i1>)
  %1:3 = graph.unscale %s, %minus, %x : (tensor<f32>, tensor<2xf32>, tensor<3x5xf32>) -> (tensor<2xf32>, tensor<3x5xf32>, tensor<i1>)
  %2:2 = graph.unscale %s, %nan : (tensor<f32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<i1>)
  return %0#2, %1#2, %2#1 : tensor<i1>, tensor<i1>, tensor<i1>
}
func.func @scaler_skip() -> (tensor<f32>, tensor<i32>) {
  %s = graph.constant dense<8.0> : tensor<f32>
  %t = graph.constant dense<2> : tensor<i32>
  %f = graph.constant dense<true> : tensor<i1>
  %0:3 = graph.scaler_update %s, %t, %f growth = 2.0 backoff = 0.5 interval = 3 : (tensor<f32>, tensor<i32>, tensor<i1>) -> (tensor<f32>, tensor<i32>, tensor<i1>)
  return %0#0, %0#1 : tensor<f32>, tensor<i32>
}
func.func @scaler_grow() -> (tensor<f32>, tensor<i32>) {
  %s = graph.constant dense<8.0> : tensor<f32>
  %t = graph.constant dense<2> : tensor<i32>
  %f = graph.constant dense<false> : tensor<i1>
  %0:3 = graph.scaler_update %s, %t, %f growth = 2.0 backoff = 0.5 interval = 3 : (tensor<f32>, tensor<i32>, tensor<i1>) -> (tensor<f32>, tensor<i32>, tensor<i1>)
  return %0#0, %0#1 : tensor<f32>, tensor<i32>
}
// A tracker beyond the interval grows at the next finite step.
func.func @scaler_wait() -> (tensor<f32>, tensor<i32>) {
  %s = graph.constant dense<8.0> : tensor<f32>
  %t = graph.constant dense<3> : tensor<i32>
  %f = graph.constant dense<false> : tensor<i1>
  %0:3 = graph.scaler_update %s, %t, %f growth = 2.0 backoff = 0.5 interval = 3 : (tensor<f32>, tensor<i32>, tensor<i1>) -> (tensor<f32>, tensor<i32>, tensor<i1>)
  return %0#0, %0#1 : tensor<f32>, tensor<i32>
}
// 2^127 cannot grow: the scale stays and the tracker starts again.
// REFUSE: result 0: tensor<f32> = [1.701411834{{.*}}e+38
// REFUSE: result 1: tensor<i32> = [0]
func.func @scaler_refuse() -> (tensor<f32>, tensor<i32>) {
  %s = graph.constant dense<0x7F000000> : tensor<f32>
  %t = graph.constant dense<0> : tensor<i32>
  %f = graph.constant dense<false> : tensor<i1>
  %0:3 = graph.scaler_update %s, %t, %f growth = 2.0 backoff = 0.5 interval = 1 : (tensor<f32>, tensor<i32>, tensor<i1>) -> (tensor<f32>, tensor<i32>, tensor<i1>)
  return %0#0, %0#1 : tensor<f32>, tensor<i32>
}
func.func @scale(%x: tensor<3xf64>, %s: tensor<f32>) -> tensor<3xf64> {
  %0 = graph.scale %x, %s : tensor<3xf64>, tensor<f32>
  return %0 : tensor<3xf64>
}
func.func @sgd(%p: tensor<3x5xf32>, %g: tensor<3x5xf32>, %b: tensor<3x5xf32>, %lr: tensor<f32>) -> (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>) {
  %0:2 = graph.sgd %p, %g momentum_buffer %b lr %lr {momentum = 0.9 : f64, weight_decay = 0.1 : f64} : (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<f32>) -> (tensor<3x5xf32>, tensor<3x5xf32>)
  %1:2 = graph.sgd %p, %g momentum_buffer %b lr %lr {momentum = 0.9 : f64, nesterov} : (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<f32>) -> (tensor<3x5xf32>, tensor<3x5xf32>)
  return %0#0, %0#1, %1#0, %1#1 : tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>
}
func.func @sgd_plain(%p: tensor<3xf64>, %g: tensor<3xf64>, %lr: tensor<f64>) -> tensor<3xf64> {
  %0 = graph.sgd %p, %g lr %lr : (tensor<3xf64>, tensor<3xf64>, tensor<f64>) -> tensor<3xf64>
  return %0 : tensor<3xf64>
}
func.func @adamw(%p: tensor<3x5xf32>, %g: tensor<3x5xf32>, %m: tensor<3x5xf32>, %x: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>) {
  %v = graph.mul %x, %x : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %lr = graph.constant dense<0.125> : tensor<f32>
  %t = graph.constant dense<7> : tensor<i32>
  %0:3 = graph.adamw %p, %g, %m, %v lr %lr step %t {weight_decay = 0.1 : f64} : (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<f32>, tensor<i32>) -> (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>)
  return %0#0, %0#1, %0#2 : tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>
}
// beta1 < 0.5: torch.lerp takes its other formula.
func.func @adamw_slow(%p: tensor<3xf64>, %g: tensor<3xf64>, %m: tensor<3xf64>, %x: tensor<3xf64>, %lr: tensor<f64>) -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) {
  %v = graph.mul %x, %x : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %t = graph.constant dense<1> : tensor<i32>
  %0:3 = graph.adamw %p, %g, %m, %v lr %lr step %t {beta1 = 0.25 : f64, beta2 = 0.5 : f64} : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<f64>, tensor<i32>) -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>)
  return %0#0, %0#1, %0#2 : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
}
// The first step from zero moments moves by lr * sign(g), whatever g is:
// m / bc1 = g, sqrt(v) / sqrt(bc2) = |g|.
// FIRST: result 0: tensor<2xf64> = [0.87500{{.*}}, 1.12{{4999|500}}
func.func @adamw_first() -> tensor<2xf64> {
  %p = graph.constant dense<1.0> : tensor<2xf64>
  %g = graph.constant dense<[3.0, -0.01]> : tensor<2xf64>
  %m = graph.constant dense<0.0> : tensor<2xf64>
  %lr = graph.constant dense<0.125> : tensor<f64>
  %t = graph.constant dense<1> : tensor<i32>
  %0:3 = graph.adamw %p, %g, %m, %m lr %lr step %t : (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<f64>, tensor<i32>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>)
  return %0#0 : tensor<2xf64>
}
