// RUN: mpc-opt %s --mpc-seed-random | FileCheck %s

// Training draws, and moves on; the counter is state.
// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>
// CHECK-SAME: %[[STEP:[a-z0-9.]+]]: tensor<i32> {graph.state = #graph.state<"random.step" random_step init #graph.zeros>}
// CHECK-SAME: %[[SEED:[a-z0-9.]+]]: tensor<i32> {graph.state = #graph.state<"random.seed" random_seed init #graph.zeros>}
// CHECK-SAME: tensor<i32> {graph.updates = "random.step"}
// CHECK: graph.dropout %[[X]] ratio = 5.000000e-01 stream = 0 key %[[STEP]], %[[SEED]]
// CHECK: %[[ONE:.*]] = graph.constant dense<1> : tensor<i32>
// CHECK: %[[NEXT:.*]] = graph.add %[[STEP]], %[[ONE]]
// CHECK: return %{{.*}}, %[[NEXT]]
func.func @step(%x: tensor<4xf32> {graph.input = "x"}) -> (tensor<4xf32> {graph.output = "y"}) attributes {graph.entry = "step"} {
  %0 = graph.dropout %x ratio = 0.5 stream = 0 : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Evaluation has no dropout, and so no state.
// CHECK-LABEL: func.func @forward(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32> {graph.input = "x"}) -> (tensor<4xf32> {graph.output = "y"})
// CHECK-NEXT: return %[[X]]
func.func @forward(%x: tensor<4xf32> {graph.input = "x"}) -> (tensor<4xf32> {graph.output = "y"}) attributes {graph.entry = "forward"} {
  %0 = graph.dropout %x ratio = 0.5 stream = 0 : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// What it draws in spite, it draws of the same state, and leaves that.
// CHECK-LABEL: func.func @noise(
// CHECK-SAME: %[[STEP:[a-z0-9.]+]]: tensor<i32> {graph.state = #graph.state<"random.step" random_step init #graph.zeros>}
// CHECK-SAME: %[[SEED:[a-z0-9.]+]]: tensor<i32> {graph.state = #graph.state<"random.seed" random_seed init #graph.zeros>}
// CHECK-SAME: -> (tensor<4xf32> {graph.output = "y"})
// CHECK-NEXT: graph.normal mean = 0.000000e+00 stddev = 1.000000e+00 stream = 1 key %[[STEP]], %[[SEED]]
// CHECK-NEXT: return
func.func @noise() -> (tensor<4xf32> {graph.output = "y"}) attributes {graph.entry = "forward"} {
  %0 = graph.normal mean = 0.0 stddev = 1.0 stream = 1 : () -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// No entry: nobody's step.
// CHECK-LABEL: func.func @model(
// CHECK: graph.dropout %{{.*}} ratio = 5.000000e-01 : (tensor<4xf32>)
func.func @model(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.dropout %x ratio = 0.5 : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Attention without dropout draws nothing, and has no state; evaluation takes it
// out.
// CHECK-LABEL: func.func @attend(
// CHECK-NOT: random
// CHECK: graph.scaled_dot_product_attention %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} causal : (
// CHECK-NOT: dropout
// CHECK: return
func.func @attend(%q: tensor<2x4x2x8xf32> {graph.input = "q"}) -> (tensor<2x4x2x8xf32> {graph.output = "y"}, tensor<2x4x2x8xf32> {graph.output = "z"}) attributes {graph.entry = "forward"} {
  %y, %0 = graph.scaled_dot_product_attention %q, %q, %q causal : (tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>) -> (tensor<2x4x2x8xf32>, tensor<2x2x4xf32>)
  %z, %1 = graph.scaled_dot_product_attention %q, %q, %q dropout = 0.1 stream = 3 : (tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>) -> (tensor<2x4x2x8xf32>, tensor<2x2x4xf32>)
  return %y, %z : tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>
}

// CHECK-LABEL: func.func @attend_step(
// CHECK: graph.scaled_dot_product_attention %{{.*}} dropout = 1.000000e-01 stream = 3 key %{{.*}}, %{{.*}} : (
func.func @attend_step(%q: tensor<2x4x2x8xf32> {graph.input = "q"}) -> (tensor<2x4x2x8xf32> {graph.output = "z"}) attributes {graph.entry = "step"} {
  %z, %1 = graph.scaled_dot_product_attention %q, %q, %q dropout = 0.1 stream = 3 : (tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>, tensor<2x4x2x8xf32>) -> (tensor<2x4x2x8xf32>, tensor<2x2x4xf32>)
  return %z : tensor<2x4x2x8xf32>
}
