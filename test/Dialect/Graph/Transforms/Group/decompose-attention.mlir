// A window that is wider than all there is bounds nothing, also where an index of
// 32 bits would not hold it; one that is not is a comparison of positions.
// RUN: mpc-opt %s --mpc-decompose | FileCheck %s

// CHECK-LABEL: func.func @wide_window(
// CHECK-NOT: graph.iota
// CHECK: return
func.func @wide_window(%q: tensor<1x4x2x8xf64>) -> tensor<1x4x2x8xf64> {
  %y, %l = graph.scaled_dot_product_attention %q, %q, %q window = 4294967296 : (tensor<1x4x2x8xf64>, tensor<1x4x2x8xf64>, tensor<1x4x2x8xf64>) -> (tensor<1x4x2x8xf64>, tensor<1x2x4xf64>)
  return %y : tensor<1x4x2x8xf64>
}

// CHECK-LABEL: func.func @narrow_window(
// CHECK: %[[DISTANCE:.*]] = graph.sub %{{.*}}, %{{.*}} : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi32>
// CHECK: graph.compare <lt> %[[DISTANCE]],
// CHECK: return
func.func @narrow_window(%q: tensor<1x4x2x8xf64>) -> tensor<1x4x2x8xf64> {
  %y, %l = graph.scaled_dot_product_attention %q, %q, %q window = 3 : (tensor<1x4x2x8xf64>, tensor<1x4x2x8xf64>, tensor<1x4x2x8xf64>) -> (tensor<1x4x2x8xf64>, tensor<1x2x4xf64>)
  return %y : tensor<1x4x2x8xf64>
}
