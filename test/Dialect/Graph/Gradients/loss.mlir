// Structure of the gradients of family Loss.
// RUN: mpc-opt %s --mpc-differentiate | FileCheck %s

// (softmax - onehot) * dy / n where the sample counts, chosen and not
// multiplied, so that a loss over no sample (0 / 0) gives gradient 0.
// CHECK-LABEL: func.func @cross_entropy_step(
// CHECK-SAME: %[[X:.*]]: tensor<4x3xf32> {{.*}}, %[[LABEL:.*]]: tensor<4xi32> {{.*}}, %[[MASK:.*]]: tensor<4xi1>
// CHECK: %[[SEED:.*]] = graph.constant {graph.seed}
// CHECK-DAG: graph.softmax %[[X]] dim = 1
// CHECK-DAG: graph.iota dim = 1 : tensor<4x3xi32>
// CHECK-DAG: %[[NOT_IGNORED:.*]] = graph.compare <ne> %[[LABEL]]
// CHECK-DAG: %[[COUNTED:.*]] = graph.select %[[MASK]], %[[NOT_IGNORED]]
// CHECK: graph.sum %{{.*}} dims = [0]
// CHECK: %[[WEIGHT:.*]] = graph.div %[[SEED]],
// CHECK: %[[DX:.*]] = graph.select %{{.*}} : (tensor<4x1xi1>, tensor<4x3xf32>, tensor<f32>) -> tensor<4x3xf32>
// CHECK-NEXT: return %{{.*}}, %[[DX]]
func.func @cross_entropy(%x: tensor<4x3xf32> {graph.parameter = "x"}, %label: tensor<4xi32> {graph.input = "label"}, %mask: tensor<4xi1> {graph.input = "mask"}) -> (tensor<f32> {graph.loss}) {
  %loss = graph.cross_entropy %x, %label mask %mask : (tensor<4x3xf32>, tensor<4xi32>, tensor<4xi1>) -> tensor<f32>
  return %loss : tensor<f32>
}

// A label that does not count is compared as it is, also where it is no f64.
// CHECK-LABEL: func.func @wide_labels_step(
// CHECK: %[[IGNORED:.*]] = graph.constant dense<9007199254740993> : tensor<i64>
// CHECK: graph.compare <ne> %{{.*}}, %[[IGNORED]]
func.func @wide_labels(%x: tensor<4x3xf32> {graph.parameter = "x"}, %label: tensor<4xi64> {graph.input = "label"}) -> (tensor<f32> {graph.loss}) {
  %loss = graph.cross_entropy %x, %label ignore_index = 9007199254740993 : (tensor<4x3xf32>, tensor<4xi64>) -> tensor<f32>
  return %loss : tensor<f32>
}

// A sum needs no count.
// CHECK-LABEL: func.func @cross_entropy_sum_step(
// CHECK: graph.constant {graph.seed}
// CHECK-NOT: graph.div
// CHECK: return
func.func @cross_entropy_sum(%x: tensor<4x3xf32> {graph.parameter = "x"}, %label: tensor<4xi32> {graph.input = "label"}) -> (tensor<f32> {graph.loss}) {
  %loss = graph.cross_entropy %x, %label reduction = <sum> : (tensor<4x3xf32>, tensor<4xi32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// 2 (a - b) / n; 16-bit operands are widened and the answer goes back.
// CHECK-LABEL: func.func @mse_step(
// CHECK-DAG: graph.constant dense<5.000000e-01> : tensor<f32>
// CHECK-DAG: graph.sub %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK: graph.cast %{{.*}} because "gradient of graph.mse in the type of its operand" : (tensor<4xf32>) -> tensor<4xbf16>
func.func @mse(%a: tensor<4xbf16> {graph.parameter = "a"}, %b: tensor<4xbf16> {graph.input = "b"}) -> (tensor<f32> {graph.loss}) {
  %loss = graph.mse %a, %b : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<f32>
  return %loss : tensor<f32>
}

// Targets and weights of other types than the logits are computed in the type of these.
// CHECK-LABEL: func.func @mixed_step(
// CHECK: graph.cast %{{.*}} because "gradient computed in f64" : (tensor<4x3xf32>) -> tensor<4x3xf64>
// CHECK: graph.cast %{{.*}} because "gradient computed in f64" : (tensor<3xf32>) -> tensor<3xf64>
// CHECK: return %{{.*}} : tensor<f64>, tensor<4x3xf64>, tensor<4x3xf32>
func.func @mixed(%x: tensor<4x3xf64> {graph.parameter = "x"}, %t: tensor<4x3xf32> {graph.parameter = "t"}, %w: tensor<3xf32> {graph.input = "w"}) -> (tensor<f64> {graph.loss}) {
  %loss = graph.soft_cross_entropy %x, %t weight %w : (tensor<4x3xf64>, tensor<4x3xf32>, tensor<3xf32>) -> tensor<f64>
  return %loss : tensor<f64>
}
