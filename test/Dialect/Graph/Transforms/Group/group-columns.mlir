// RUN: mpc-opt %s --mpc-decompose --cse --mpc-group | FileCheck %s
// A sum of columns that is not folded in parts beside the rows, as there are too
// few, reads again what is in memory instead of a product that the rows' kernel
// would have to store.

// %dy and %x are 16-bit: to read both again costs 4 bytes per element, to store
// and load the f32 product 8. The rows' kernel gives one number per row. The
// sum of %dy joins, since it reads the same tensor.
// CHECK-LABEL: func.func @product(
// CHECK: %[[ROWS:.*]]:2 = graph.group <row> %{{.*}} -> (tensor<8x1xf32>, tensor<8x64xf16>)
// CHECK: graph.group <column> {{.*}}%[[ROWS]]#0{{.*}} -> (tensor<64xf32>, tensor<64xf32>)
// CHECK: graph.mul
// CHECK: graph.sum %{{.*}} dims = [0]
func.func @product(%x: tensor<8x64xf16>, %dy: tensor<8x64xf16>) -> (tensor<8x64xf16>, tensor<64xf32>, tensor<64xf32>) {
  %xf = graph.cast %x : (tensor<8x64xf16>) -> tensor<8x64xf32>
  %df = graph.cast %dy : (tensor<8x64xf16>) -> tensor<8x64xf32>
  %b = graph.sum %df dims = [0] : (tensor<8x64xf32>) -> tensor<64xf32>
  %s = graph.sum %xf dims = [1] keep : (tensor<8x64xf32>) -> tensor<8x1xf32>
  %n = graph.mul %xf, %s : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x64xf32>
  %p = graph.mul %df, %n : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x64xf32>
  %w = graph.sum %p dims = [0] : (tensor<8x64xf32>) -> tensor<64xf32>
  %h = graph.cast %n : (tensor<8x64xf32>) -> tensor<8x64xf16>
  return %h, %b, %w : tensor<8x64xf16>, tensor<64xf32>, tensor<64xf32>
}

// An exponential is not computed twice: it is stored.
// CHECK-LABEL: func.func @costly(
// CHECK: graph.group <row> {{.*}} -> tensor<8x64xf32>
// CHECK: graph.group <column> %{{[0-9]+}} : (tensor<8x64xf32>)
func.func @costly(%x: tensor<8x64xf16>) -> tensor<64xf32> {
  %xf = graph.cast %x : (tensor<8x64xf16>) -> tensor<8x64xf32>
  %m = graph.max %xf dims = [1] keep : (tensor<8x64xf32>) -> tensor<8x1xf32>
  %d = graph.sub %xf, %m : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x64xf32>
  %e = graph.exp %d : tensor<8x64xf32>
  %w = graph.sum %e dims = [0] : (tensor<8x64xf32>) -> tensor<64xf32>
  return %w : tensor<64xf32>
}
