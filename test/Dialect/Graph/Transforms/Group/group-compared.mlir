// RUN: mpc-opt %s --mpc-group | FileCheck %s
// A value that is compared has the same bits wherever it is read: no second
// kernel computes it from an operand that the first had before it was rounded.

// The sum of what the kernel of tanh has in f32 is stored, though it would be
// cheaper to add again.
// CHECK-LABEL: @gradient_of_max
// CHECK: %[[FIRST:.*]]:4 = graph.group <row> %arg0, %arg1
// CHECK: graph.tanh
// CHECK: %[[SUM:.*]] = graph.add
// CHECK: %[[MAX:.*]] = graph.max %[[SUM]]
// CHECK: graph.yield %{{.*}}, %[[SUM]], %[[MAX]], %{{.*}}
// CHECK: graph.group <row> %[[FIRST]]#1, %[[FIRST]]#2
// CHECK-NEXT: ^bb0(%[[STORED:[^:]*]]: tensor<16x64xbf16>, %[[MOST:[^:]*]]:
// CHECK-NEXT: graph.compare <eq> %[[STORED]], %[[MOST]]
func.func @gradient_of_max(%a: tensor<16x64xbf16>, %b: tensor<64xbf16>, %w: tensor<64x64xbf16>, %dy: tensor<16x1xf32>) -> (tensor<16x64xbf16>, tensor<16x64xf32>) {
  %0 = graph.tanh %a : tensor<16x64xbf16>
  %1 = graph.add %0, %b : (tensor<16x64xbf16>, tensor<64xbf16>) -> tensor<16x64xbf16>
  %2 = graph.max %1 dims = [1] keep : (tensor<16x64xbf16>) -> tensor<16x1xbf16>
  %3 = graph.sub %1, %2 : (tensor<16x64xbf16>, tensor<16x1xbf16>) -> tensor<16x64xbf16>
  %4 = graph.matmul %3, %w : (tensor<16x64xbf16>, tensor<64x64xbf16>) -> tensor<16x64xbf16>
  %5 = graph.compare <eq> %1, %2 : (tensor<16x64xbf16>, tensor<16x1xbf16>) -> tensor<16x64xi1>
  %6 = graph.cast %5 : (tensor<16x64xi1>) -> tensor<16x64xf32>
  %7 = graph.mul %6, %dy : (tensor<16x64xf32>, tensor<16x1xf32>) -> tensor<16x64xf32>
  %8 = graph.add %0, %4 : (tensor<16x64xbf16>, tensor<16x64xbf16>) -> tensor<16x64xbf16>
  return %8, %7 : tensor<16x64xbf16>, tensor<16x64xf32>
}

// Both kernels add what is in memory: the same bits, when rounded, as each of
// two copies is.
// CHECK-LABEL: @of_stored_operands
// CHECK: graph.add %{{.*}}, %{{.*}} : (tensor<16x64xbf16>, tensor<64xbf16>)
// CHECK: graph.max
// CHECK: graph.matmul
// CHECK: %[[AGAIN:.*]] = graph.add %{{.*}}, %{{.*}} : (tensor<16x64xbf16>, tensor<64xbf16>)
// CHECK-NEXT: %[[ROUNDED:.*]] = graph.cast %[[AGAIN]] because "rounded for all that read it" : (tensor<16x64xbf16>) -> tensor<16x64xbf16>
// CHECK-NEXT: graph.compare <eq> %[[ROUNDED]],
func.func @of_stored_operands(%a: tensor<16x64xbf16>, %b: tensor<64xbf16>, %w: tensor<64x64xbf16>) -> (tensor<16x64xbf16>, tensor<16x64xi1>) {
  %0 = graph.add %a, %b : (tensor<16x64xbf16>, tensor<64xbf16>) -> tensor<16x64xbf16>
  %1 = graph.max %0 dims = [1] keep : (tensor<16x64xbf16>) -> tensor<16x1xbf16>
  %2 = graph.sub %0, %1 : (tensor<16x64xbf16>, tensor<16x1xbf16>) -> tensor<16x64xbf16>
  %3 = graph.matmul %2, %w : (tensor<16x64xbf16>, tensor<64x64xbf16>) -> tensor<16x64xbf16>
  %4 = graph.compare <eq> %0, %1 : (tensor<16x64xbf16>, tensor<16x1xbf16>) -> tensor<16x64xi1>
  %5 = graph.add %3, %a : (tensor<16x64xbf16>, tensor<16x64xbf16>) -> tensor<16x64xbf16>
  return %5, %4 : tensor<16x64xbf16>, tensor<16x64xi1>
}

// Elements that are moved before they are compared are the same bits, too.
// CHECK-LABEL: @moved
// CHECK: %[[FIRST:.*]]:4 = graph.group <row> %arg0, %arg1
// CHECK: %[[SUM:.*]] = graph.add
// CHECK: graph.yield %{{.*}}, %[[SUM]], %{{.*}}, %{{.*}}
// CHECK: graph.group <row> %[[FIRST]]#1, %[[FIRST]]#2
// CHECK-NEXT: ^bb0(%[[STORED:[^:]*]]: tensor<16x64xbf16>,
// CHECK-NEXT: %[[MOVED:.*]] = graph.broadcast %[[STORED]]
// CHECK-NEXT: graph.compare <eq> %[[MOVED]],
func.func @moved(%a: tensor<16x64xbf16>, %b: tensor<64xbf16>, %w: tensor<64x64xbf16>, %dy: tensor<16x1xf32>) -> (tensor<16x64xbf16>, tensor<3x16x64xf32>) {
  %0 = graph.tanh %a : tensor<16x64xbf16>
  %1 = graph.add %0, %b : (tensor<16x64xbf16>, tensor<64xbf16>) -> tensor<16x64xbf16>
  %2 = graph.max %1 dims = [1] keep : (tensor<16x64xbf16>) -> tensor<16x1xbf16>
  %3 = graph.sub %1, %2 : (tensor<16x64xbf16>, tensor<16x1xbf16>) -> tensor<16x64xbf16>
  %4 = graph.matmul %3, %w : (tensor<16x64xbf16>, tensor<64x64xbf16>) -> tensor<16x64xbf16>
  %s = graph.broadcast %1 : (tensor<16x64xbf16>) -> tensor<3x16x64xbf16>
  %5 = graph.compare <eq> %s, %2 : (tensor<3x16x64xbf16>, tensor<16x1xbf16>) -> tensor<3x16x64xi1>
  %6 = graph.cast %5 : (tensor<3x16x64xi1>) -> tensor<3x16x64xf32>
  %7 = graph.mul %6, %dy : (tensor<3x16x64xf32>, tensor<16x1xf32>) -> tensor<3x16x64xf32>
  %8 = graph.add %0, %4 : (tensor<16x64xbf16>, tensor<16x64xbf16>) -> tensor<16x64xbf16>
  return %8, %7 : tensor<16x64xbf16>, tensor<3x16x64xf32>
}

// Column reductions compute cheap operands again, from values of rows that the
// kernel before them has rounded to store them: not what is compared. (Of more
// rows than these the columns would be folded in parts, beside them.)
// CHECK-LABEL: @summed_over_rows
// CHECK: %[[FIRST:.*]]:2 = graph.group <row> %arg0, %arg1
// CHECK: graph.sub
// CHECK: graph.compare <eq>
// CHECK: %[[PRODUCT:.*]] = graph.mul %{{.*}}, %{{.*}} : (tensor<8x64xf32>, tensor<8x1xf32>)
// CHECK: graph.yield %{{.*}}, %[[PRODUCT]]
// CHECK: graph.group <column> %[[FIRST]]#1 :
// CHECK-NOT: graph.sub
// CHECK: return
func.func @summed_over_rows(%a: tensor<8x64xbf16>, %dy: tensor<8x1xf32>) -> (tensor<64xf32>, tensor<8x1xbf16>) {
  %third = graph.constant dense<0.33> : tensor<bf16>
  %0 = graph.max %a dims = [1] keep : (tensor<8x64xbf16>) -> tensor<8x1xbf16>
  %1 = graph.mul %0, %third : (tensor<8x1xbf16>, tensor<bf16>) -> tensor<8x1xbf16>
  %2 = graph.sub %a, %1 : (tensor<8x64xbf16>, tensor<8x1xbf16>) -> tensor<8x64xbf16>
  %3 = graph.max %2 dims = [1] keep : (tensor<8x64xbf16>) -> tensor<8x1xbf16>
  %4 = graph.compare <eq> %2, %3 : (tensor<8x64xbf16>, tensor<8x1xbf16>) -> tensor<8x64xi1>
  %5 = graph.cast %4 : (tensor<8x64xi1>) -> tensor<8x64xf32>
  %6 = graph.mul %5, %dy : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x64xf32>
  %7 = graph.sum %6 dims = [0] : (tensor<8x64xf32>) -> tensor<64xf32>
  return %7, %3 : tensor<64xf32>, tensor<8x1xbf16>
}
