// RUN: mpc-opt %s --mpc-group=print-decisions --verify-diagnostics -o /dev/null
// Decisions are remarks: a group at its last op, a refusal at the consumer.

func.func @refused(%x: tensor<8x4xf32>) -> tensor<4x1xf32> {
  %0 = graph.sum %x dims = [1] keep : (tensor<8x4xf32>) -> tensor<8x1xf32>
  // expected-remark@+1 {{row group of 2 ops}}
  %1 = graph.sub %x, %0 : (tensor<8x4xf32>, tensor<8x1xf32>) -> tensor<8x4xf32>
  // expected-remark@+2 {{not fused with 'graph.sub': reductions fold other dims}}
  // expected-remark@+1 {{not folded beside the rows of the same tensors: its 8 rows are one part}}
  %2 = graph.sum %1 dims = [0] : (tensor<8x4xf32>) -> tensor<4xf32>
  // expected-remark@+1 {{column group of 2 ops}}
  %3 = graph.reshape %2 : (tensor<4xf32>) -> tensor<4x1xf32>
  return %3 : tensor<4x1xf32>
}

// The row is read by others, who would find it written once per row of %1.
func.func @stored_part(%x: tensor<8x4xf32>, %y: tensor<4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>) {
  // expected-remark@+1 {{row group of 1 ops}}
  %0 = graph.exp %y : tensor<4xf32>
  // expected-remark@+2 {{not fused with 'graph.exp': it would be computed again along other dims, but is read elsewhere, too, or is costly}}
  // expected-remark@+1 {{row group of 1 ops}}
  %1 = graph.add %x, %0 : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  return %1, %0 : tensor<8x4xf32>, tensor<4xf32>
}
