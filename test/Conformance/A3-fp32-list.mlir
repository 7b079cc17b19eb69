// A3: an op of the fp32 list takes f16 operands in f32, and gives the bits of
// the op on operands widened by hand. The casts that the model writes around it
// stay.
// RUN: mpc-opt %s --mpc-autocast="mode=torch precision=fp16" --mpc-verify-autocast -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: graph-eval %t.mlir --function=model --rounded --low=0.25 --high=2 --compare=%s --compare-function=by_hand --rtol=0 --atol=0
// CHECK-LABEL: func.func @model
// CHECK-NEXT: %[[X:.*]] = graph.cast %{{.*}} : (tensor<8x8xf32>) -> tensor<8x8xf16>
// CHECK: graph.cast %[[X]] because "fp32: exp runs in f32"
// CHECK: graph.exp %{{.*}} : tensor<8x8xf32>
// CHECK: graph.cast %[[X]] because "fp32: log runs in f32"
// CHECK: graph.log %{{.*}} : tensor<8x8xf32>
// CHECK: graph.cast %[[X]] because "fp32: rsqrt runs in f32"
// CHECK: graph.rsqrt %{{.*}} : tensor<8x8xf32>
// CHECK: graph.pow %{{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK: graph.layer_norm {{.*}} : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK: graph.mse {{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<f32>
// CHECK: graph.cross_entropy {{.*}} : (tensor<8x8xf32>, tensor<8xi32>) -> tensor<f32>
// CHECK-LABEL: func.func @by_hand
func.func @model(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>,
    tensor<8x8xf32>, tensor<f32>, tensor<f32>) {
  %h = graph.cast %x : (tensor<8x8xf32>) -> tensor<8x8xf16>
  %l = graph.iota dim = 0 : tensor<8xi32>
  %0 = graph.exp %h : tensor<8x8xf16>
  %1 = graph.log %h : tensor<8x8xf16>
  %2 = graph.rsqrt %h : tensor<8x8xf16>
  %3 = graph.pow %h, %h : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
  %4 = graph.layer_norm %h first_dim = 1 : (tensor<8x8xf16>) -> tensor<8x8xf16>
  %5 = graph.mse %h, %0 : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<f32>
  %6 = graph.cross_entropy %h, %l : (tensor<8x8xf16>, tensor<8xi32>) -> tensor<f32>
  %w0 = graph.cast %0 : (tensor<8x8xf16>) -> tensor<8x8xf32>
  %w1 = graph.cast %1 : (tensor<8x8xf16>) -> tensor<8x8xf32>
  %w2 = graph.cast %2 : (tensor<8x8xf16>) -> tensor<8x8xf32>
  %w3 = graph.cast %3 : (tensor<8x8xf16>) -> tensor<8x8xf32>
  %w4 = graph.cast %4 : (tensor<8x8xf16>) -> tensor<8x8xf32>
  return %w0, %w1, %w2, %w3, %w4, %5, %6 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>,
    tensor<8x8xf32>, tensor<f32>, tensor<f32>
}
func.func @by_hand(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>,
    tensor<8x8xf32>, tensor<f32>, tensor<f32>) {
  %h = graph.cast %x : (tensor<8x8xf32>) -> tensor<8x8xf16>
  %f = graph.cast %h : (tensor<8x8xf16>) -> tensor<8x8xf32>
  %l = graph.iota dim = 0 : tensor<8xi32>
  %0 = graph.exp %f : tensor<8x8xf32>
  %1 = graph.log %f : tensor<8x8xf32>
  %2 = graph.rsqrt %f : tensor<8x8xf32>
  %3 = graph.pow %f, %f : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %4 = graph.layer_norm %f first_dim = 1 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %5 = graph.mse %f, %0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<f32>
  %6 = graph.cross_entropy %f, %l : (tensor<8x8xf32>, tensor<8xi32>) -> tensor<f32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>,
    tensor<8x8xf32>, tensor<f32>, tensor<f32>
}
