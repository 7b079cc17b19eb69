// Numbers that are free, in order; those that are given stay, once.
// RUN: mpc-opt %s --mpc-inline-custom --mpc-number-random | FileCheck %s

func.func private @noise(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.dropout %x ratio = 0.5 stream = 1 : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @model
// CHECK: graph.dropout %{{.*}} stream = 0
// CHECK: graph.dropout %{{.*}} stream = 1
// CHECK: graph.dropout %{{.*}} stream = 2
// CHECK: graph.bernoulli p = 5.000000e-01 stream = 3
// CHECK: graph.normal mean = 0.000000e+00 stddev = 1.000000e+00 stream = 4
func.func @model(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi1>, tensor<4xf32>) {
  %0 = graph.dropout %x ratio = 0.5 : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.custom @noise(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = graph.custom @noise(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = graph.bernoulli p = 0.5 stream = 3 : () -> tensor<4xi1>
  %4 = graph.normal mean = 0.0 stddev = 1.0 : () -> tensor<4xf32>
  return %2, %3, %4 : tensor<4xf32>, tensor<4xi1>, tensor<4xf32>
}

// Attention with dropout draws, and is not taken for another; its backward draws
// again.
// CHECK-LABEL: @attend
// CHECK: graph.scaled_dot_product_attention %{{.*}} dropout = 1.000000e-01 stream = 5 :
// CHECK: graph.scaled_dot_product_attention %{{.*}} dropout = 1.000000e-01 stream = 6 :
// CHECK: graph.scaled_dot_product_attention %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} : (
// CHECK: graph.scaled_dot_product_attention_backward %{{.*}} dropout = 1.000000e-01 stream = 5 :
func.func @attend(%q: tensor<2x4x2x8xf32>) -> (tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>) {
  %y, %0 = graph.scaled_dot_product_attention %q, %q, %q dropout = 0.1 : (tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>) -> (tensor<2x4x2x8xf32>, tensor<2x2x4xf32>)
  %z, %1 = graph.scaled_dot_product_attention %q, %q, %q dropout = 0.1 : (tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>) -> (tensor<2x4x2x8xf32>, tensor<2x2x4xf32>)
  %w, %2 = graph.scaled_dot_product_attention %q, %q, %q : (tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>) -> (tensor<2x4x2x8xf32>, tensor<2x2x4xf32>)
  %dq, %dk, %dv = graph.scaled_dot_product_attention_backward %q, %q, %q result %y, %0 cotangent %q dropout = 0.1 stream = 5 : (tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x2x4xf32>, tensor<2x4x2x8xf32>) -> (tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>)
  return %y, %z, %w, %dq : tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>
}
