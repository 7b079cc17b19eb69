// RUN: mpc-opt %s --mpc-decompose --cse --mpc-group | FileCheck %s
// What reads less than it writes is computed by its consumers, and what waits
// for a later factor is not computed early.

// The sum of columns is not in the kernel of so few rows: it reads the 16 bits
// that the product reads, too.
// CHECK-LABEL: func.func @consumer(
// CHECK: %[[H:.*]] = graph.group <row> %arg0 : (tensor<8x32xf32>) -> tensor<8x32xbf16>
// CHECK: graph.exp
// CHECK: graph.group <column> %[[H]] : (tensor<8x32xbf16>) -> tensor<32xf32>
// CHECK: graph.group <library> %[[H]], %arg1
func.func @consumer(%x: tensor<8x32xf32>, %w: tensor<32x32xbf16>) -> (tensor<32xf32>, tensor<8x32xbf16>) {
  %m = graph.sum %x dims = [1] keep : (tensor<8x32xf32>) -> tensor<8x1xf32>
  %d = graph.sub %x, %m : (tensor<8x32xf32>, tensor<8x1xf32>) -> tensor<8x32xf32>
  %e = graph.exp %d : tensor<8x32xf32>
  %h = graph.cast %e because "allow" : (tensor<8x32xf32>) -> tensor<8x32xbf16>
  %wide = graph.cast %h because "deny" : (tensor<8x32xbf16>) -> tensor<8x32xf32>
  %s = graph.sum %wide dims = [0] : (tensor<8x32xf32>) -> tensor<32xf32>
  %p = graph.matmul %h, %w : (tensor<8x32xbf16>, tensor<32x32xbf16>) -> tensor<8x32xbf16>
  return %s, %p : tensor<32xf32>, tensor<8x32xbf16>
}

// Returned in f32 it is stored by the first of its consumers; others still read
// 16 bits.
// CHECK-LABEL: func.func @returned(
// CHECK-DAG: graph.group <row> %arg0 : (tensor<8x32xbf16>) -> (tensor<8x32xf32>, tensor<8xf32>)
// CHECK-DAG: graph.group <column> %arg0 : (tensor<8x32xbf16>) -> tensor<32xf32>
func.func @returned(%x: tensor<8x32xbf16>) -> (tensor<8x32xf32>, tensor<8xf32>, tensor<32xf32>) {
  %wide = graph.cast %x because "return" : (tensor<8x32xbf16>) -> tensor<8x32xf32>
  %r = graph.sum %wide dims = [1] : (tensor<8x32xf32>) -> tensor<8xf32>
  %s = graph.sum %wide dims = [0] : (tensor<8x32xf32>) -> tensor<32xf32>
  return %wide, %r, %s : tensor<8x32xf32>, tensor<8xf32>, tensor<32xf32>
}

// A table that a kernel reads in places is no measure of what may wait.
// CHECK-LABEL: func.func @table(
// CHECK: %[[F:.*]] = graph.group <move> %arg0, %arg1 : (tensor<4096x32xbf16>, tensor<64xi32>) -> tensor<64x32xbf16>
// CHECK: graph.group <library> %[[F]]
func.func @table(%table: tensor<4096x32xbf16>, %i: tensor<64xi32>, %w: tensor<32x32xbf16>) -> tensor<64x32xbf16> {
  %x = graph.gather %table, %i dim = 0 : (tensor<4096x32xbf16>, tensor<64xi32>) -> tensor<64x32xbf16>
  %p = graph.matmul %x, %w : (tensor<64x32xbf16>, tensor<32x32xbf16>) -> tensor<64x32xbf16>
  %wide = graph.cast %x because "gradient" : (tensor<64x32xbf16>) -> tensor<64x32xf32>
  %dy = graph.cast %p because "gradient" : (tensor<64x32xbf16>) -> tensor<64x32xf32>
  %d = graph.mul %dy, %wide : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  %g = graph.cast %d because "gradient" : (tensor<64x32xf32>) -> tensor<64x32xbf16>
  %q = graph.matmul %g, %w : (tensor<64x32xbf16>, tensor<32x32xbf16>) -> tensor<64x32xbf16>
  return %q : tensor<64x32xbf16>
}

// The forward and the backward of a norm: the normalised rows are known before
// the product, but the factor that they are summed with only after it. What is
// stored across it is a mean and a deviation per row, each once.
// CHECK-LABEL: func.func @norm(
// CHECK: %[[F:.*]]:3 = graph.group <row> %arg0 : (tensor<64x32xbf16>) -> (tensor<64x32xbf16>, tensor<64x1xf32>, tensor<64x1xf32>)
// CHECK: %[[P:.*]] = graph.group <library> %[[F]]#0, %arg1
// CHECK: graph.group <row> %[[P]], %arg0, %[[F]]#2, %[[F]]#1 : (tensor<64x32xbf16>, tensor<64x32xbf16>, tensor<64x1xf32>, tensor<64x1xf32>) -> tensor<64x32xbf16>
// CHECK: return
func.func @norm(%x: tensor<64x32xbf16>, %w: tensor<32x32xbf16>) -> tensor<64x32xbf16> {
  %scale = graph.constant dense<3.125000e-02> : tensor<f32>
  %epsilon = graph.constant dense<1.000000e-05> : tensor<f32>
  %wide = graph.cast %x because "norm" : (tensor<64x32xbf16>) -> tensor<64x32xf32>
  %s = graph.sum %wide dims = [1] keep : (tensor<64x32xf32>) -> tensor<64x1xf32>
  %mean = graph.mul %s, %scale : (tensor<64x1xf32>, tensor<f32>) -> tensor<64x1xf32>
  %c = graph.sub %wide, %mean : (tensor<64x32xf32>, tensor<64x1xf32>) -> tensor<64x32xf32>
  %sq = graph.mul %c, %c : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  %v = graph.sum %sq dims = [1] keep : (tensor<64x32xf32>) -> tensor<64x1xf32>
  %ve = graph.add %v, %epsilon : (tensor<64x1xf32>, tensor<f32>) -> tensor<64x1xf32>
  %r = graph.rsqrt %ve : tensor<64x1xf32>
  %n = graph.mul %c, %r : (tensor<64x32xf32>, tensor<64x1xf32>) -> tensor<64x32xf32>
  %h = graph.cast %n because "norm" : (tensor<64x32xf32>) -> tensor<64x32xbf16>
  %p = graph.matmul %h, %w : (tensor<64x32xbf16>, tensor<32x32xbf16>) -> tensor<64x32xbf16>
  %dy = graph.cast %p because "gradient" : (tensor<64x32xbf16>) -> tensor<64x32xf32>
  %dyn = graph.mul %dy, %n : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  %t = graph.sum %dyn dims = [1] keep : (tensor<64x32xf32>) -> tensor<64x1xf32>
  %nt = graph.mul %n, %t : (tensor<64x32xf32>, tensor<64x1xf32>) -> tensor<64x32xf32>
  %dc = graph.sub %dy, %nt : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  %dx = graph.mul %dc, %r : (tensor<64x32xf32>, tensor<64x1xf32>) -> tensor<64x32xf32>
  %g = graph.cast %dx because "gradient" : (tensor<64x32xf32>) -> tensor<64x32xbf16>
  %q = graph.matmul %g, %w transpose_rhs : (tensor<64x32xbf16>, tensor<32x32xbf16>) -> tensor<64x32xbf16>
  return %q : tensor<64x32xbf16>
}
