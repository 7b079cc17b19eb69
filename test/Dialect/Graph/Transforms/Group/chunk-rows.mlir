// RUN: mpc-opt %s --mpc-chunk-rows --split-input-file --remarks-filter-missed=mpc-chunk-rows 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=MISSED < %t.remarks

// Of eight rows, three chunks: what is as large as the product is there three
// times, each after the one before; rows are joined, and sums over them added,
// those of 16 bits in f32, which is also what a widening cast reads.
// CHECK-LABEL: func.func @loss_step
// CHECK-NOT: tensor<8x10x
// CHECK: %[[X0:.*]] = graph.slice %arg0 offsets = [0, 0] sizes = [3, 4]
// CHECK: %[[Y0:.*]] = graph.matmul %[[X0]], %arg1 : (tensor<3x4xbf16>, tensor<4x10xbf16>) -> tensor<3x10xbf16>
// CHECK: %[[DX0:.*]] = graph.matmul %{{.*}}, %arg1 transpose_rhs : (tensor<3x10xbf16>, tensor<4x10xbf16>) -> tensor<3x4xbf16>
// CHECK: %[[DW0:.*]] = graph.matmul %[[X0]], %{{.*}} transpose_lhs : (tensor<3x4xbf16>, tensor<3x10xbf16>) -> tensor<4x10xbf16>
// CHECK: %[[WIDE0:.*]] = graph.cast %[[DW0]] because "chunks of rows are summed in f32"
// CHECK: %[[LATE1:.*]] = graph.optimization_barrier %arg0 after %[[DW0]]
// CHECK: graph.slice %[[LATE1]] offsets = [3, 0] sizes = [3, 4]
// CHECK: %[[SUM1:.*]] = graph.add %[[WIDE0]]
// CHECK: %[[LATE2:.*]] = graph.optimization_barrier %arg0 after %[[SUM1]]
// CHECK: graph.slice %[[LATE2]] offsets = [6, 0] sizes = [2, 4]
// CHECK: %[[SUM2:.*]] = graph.add %[[SUM1]]
// CHECK: graph.concat %[[DX0]], {{.*}} dim = 0 : (tensor<3x4xbf16>, tensor<3x4xbf16>, tensor<2x4xbf16>) -> tensor<8x4xbf16>
// CHECK: return %{{.*}}, %{{.*}}, %[[SUM2]]
func.func @loss_step(%x: tensor<8x4xbf16>, %w: tensor<4x10xbf16>, %label: tensor<8x1xi32>)
    -> (tensor<f32>, tensor<8x4xbf16>, tensor<4x10xf32>) {
  %y = graph.matmul %x, %w {graph.chunks = 3 : i64} : (tensor<8x4xbf16>, tensor<4x10xbf16>) -> tensor<8x10xbf16>
  %z = graph.cast %y because "deny" : (tensor<8x10xbf16>) -> tensor<8x10xf32>
  %max = graph.max %z dims = [1] keep : (tensor<8x10xf32>) -> tensor<8x1xf32>
  %shifted = graph.sub %z, %max : (tensor<8x10xf32>, tensor<8x1xf32>) -> tensor<8x10xf32>
  %powers = graph.exp %shifted : tensor<8x10xf32>
  %total = graph.sum %powers dims = [1] keep : (tensor<8x10xf32>) -> tensor<8x1xf32>
  %log = graph.log %total : tensor<8x1xf32>
  %loss = graph.sum %log dims = [0, 1] : (tensor<8x1xf32>) -> tensor<f32>
  %share = graph.div %powers, %total : (tensor<8x10xf32>, tensor<8x1xf32>) -> tensor<8x10xf32>
  %class = graph.iota dim = 1 : tensor<8x10xi32>
  %is = graph.compare <eq> %class, %label : (tensor<8x10xi32>, tensor<8x1xi32>) -> tensor<8x10xi1>
  %one = graph.constant dense<1.0> : tensor<f32>
  %less = graph.sub %share, %one : (tensor<8x10xf32>, tensor<f32>) -> tensor<8x10xf32>
  %dz = graph.select %is, %less, %share : (tensor<8x10xi1>, tensor<8x10xf32>, tensor<8x10xf32>) -> tensor<8x10xf32>
  %dy = graph.cast %dz because "deny" : (tensor<8x10xf32>) -> tensor<8x10xbf16>
  %dx = graph.matmul %dy, %w transpose_rhs : (tensor<8x10xbf16>, tensor<4x10xbf16>) -> tensor<8x4xbf16>
  %dw = graph.matmul %x, %dy transpose_lhs : (tensor<8x4xbf16>, tensor<8x10xbf16>) -> tensor<4x10xbf16>
  %wide = graph.cast %dw because "update" : (tensor<4x10xbf16>) -> tensor<4x10xf32>
  return %loss, %dx, %wide : tensor<f32>, tensor<8x4xbf16>, tensor<4x10xf32>
}

// -----
// More chunks than the first dim is long: those of the next dim, in each.
// CHECK-LABEL: func.func @deep_step
// CHECK-NOT: graph.chunks
// CHECK-COUNT-4: graph.tanh %{{.*}} : tensor<1x3x10xf32>
// CHECK-NOT: graph.tanh
func.func @deep_step(%x: tensor<2x6x4xf32>, %w: tensor<4x10xf32>) -> tensor<2x6x4xf32> {
  %y = graph.matmul %x, %w {graph.chunks = 4 : i64} : (tensor<2x6x4xf32>, tensor<4x10xf32>) -> tensor<2x6x10xf32>
  %t = graph.tanh %y : tensor<2x6x10xf32>
  %dx = graph.matmul %t, %w transpose_rhs : (tensor<2x6x10xf32>, tensor<4x10xf32>) -> tensor<2x6x4xf32>
  return %dx : tensor<2x6x4xf32>
}

// -----
// A product of as many rows as it has columns and addends: its right operand has
// none of its rows.
// CHECK-LABEL: func.func @square
// CHECK: graph.matmul %{{.*}}, %arg1 : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
func.func @square(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4xf32> {
  %y = graph.matmul %x, %w {graph.chunks = 2 : i64} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = graph.sum %y dims = [1] : (tensor<4x4xf32>) -> tensor<4xf32>
  return %s : tensor<4xf32>
}

// -----
// CHECK-LABEL: func.func @over_rows
// CHECK: graph.matmul {{.*}} -> tensor<8x10xf32>
// MISSED: Reason="graph.max folds rows, and not to a sum
func.func @over_rows(%x: tensor<8x4xf32>, %w: tensor<4x10xf32>) -> tensor<10xf32> {
  %y = graph.matmul %x, %w {graph.chunks = 2 : i64} : (tensor<8x4xf32>, tensor<4x10xf32>) -> tensor<8x10xf32>
  %m = graph.max %y dims = [0] : (tensor<8x10xf32>) -> tensor<10xf32>
  return %m : tensor<10xf32>
}
