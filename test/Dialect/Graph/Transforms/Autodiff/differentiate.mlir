// RUN: mpc-opt %s --split-input-file --mpc-differentiate | FileCheck %s
// RUN: mpc-opt %s --split-input-file --mpc-differentiate=forward-only=true | FileCheck %s --check-prefix=FORWARD --implicit-check-not=_step
// RUN: mpc-opt %s --split-input-file --mpc-differentiate --mlir-print-debuginfo | FileCheck %s --check-prefix=LOC

// A model becomes two entries; the step returns one gradient per parameter, in
// its type, after the results of the model.
// CHECK-LABEL: func.func @model(
// CHECK-SAME: attributes {graph.entry = "forward"}
// CHECK-NEXT: graph.mul
// CHECK-NEXT: graph.sum
// CHECK-NEXT: return
// CHECK-LABEL: func.func @model_step(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32> {graph.input = "x"}, %[[W:.*]]: tensor<4xf32> {graph.parameter = "w"}
// CHECK-SAME: -> (tensor<f32> {graph.loss}, tensor<4xf32> {graph.gradient = "w"})
// CHECK-SAME: attributes {graph.entry = "step"}
// CHECK-NEXT: graph.mul
// CHECK-NEXT: %[[LOSS:.*]] = graph.sum
// CHECK-NEXT: %[[SEED:.*]] = graph.constant {graph.seed} dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[ROW:.*]] = graph.reshape %[[SEED]]
// CHECK-NEXT: %[[DY:.*]] = graph.broadcast %[[ROW]]
// CHECK-NEXT: %[[DW:.*]] = graph.mul %[[DY]], %[[X]]
// CHECK-NEXT: return %[[LOSS]], %[[DW]]

// For inference there is no step.
// FORWARD-LABEL: func.func @model(
// FORWARD-SAME: graph.entry = "forward"

// The backward tells what it is the gradient of, and where that stands.
// LOC-LABEL: func.func @model_step
// LOC: graph.constant {graph.seed} {{.*}} loc(#[[SEED:.*]])
// LOC: graph.broadcast {{.*}} loc(#[[SUM:.*]])
// LOC: graph.mul {{.*}} loc(#[[MUL:.*]])
// LOC-DAG: #[[SEED]] = loc("gradient of the loss"(
// LOC-DAG: #[[SUM]] = loc("gradient of graph.sum"(
// LOC-DAG: #[[MUL]] = loc("gradient of graph.mul"(
func.func @model(%x: tensor<4xf32> {graph.input = "x"}, %w: tensor<4xf32> {graph.parameter = "w"})
    -> (tensor<f32> {graph.loss}) {
  %0 = graph.mul %x, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.sum %0 dims = [0] : (tensor<4xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// Without a loss there is nothing to train.
// CHECK-LABEL: func.func @no_loss(
// CHECK-SAME: graph.entry = "forward"
// CHECK-NOT: _step
func.func @no_loss(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.output = "y"}) {
  return %w : tensor<f32>
}

// -----

// Nor without a parameter. A function without marks is no model.
// CHECK-LABEL: func.func @no_parameter(
// CHECK-SAME: graph.entry = "forward"
// CHECK-NOT: _step
// CHECK-LABEL: func.func @no_model(
// CHECK-SAME: -> tensor<f32> {
func.func @no_parameter(%x: tensor<f32> {graph.input = "x"}) -> (tensor<f32> {graph.loss}) {
  return %x : tensor<f32>
}
func.func @no_model(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}

// -----

// A value with several uses adds up its cotangents, last use first.
// CHECK-LABEL: func.func @two_uses_step(
// CHECK: %[[SEED:.*]] = graph.constant {graph.seed}
// CHECK-NEXT: %[[SECOND:.*]] = graph.neg %[[SEED]]
// CHECK-NEXT: %[[SUM:.*]] = graph.add %[[SEED]], %[[SECOND]]
// CHECK-NEXT: return {{.*}}, %[[SUM]]
func.func @two_uses(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}) {
  %0 = graph.sub %w, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Broadcasts are undone in one place: leading dims are summed away, dims of
// size 1 are summed and put back.
// CHECK-LABEL: func.func @broadcasts_step(
// CHECK: %[[DY:.*]] = graph.broadcast
// CHECK-NEXT: %[[SUM:.*]] = graph.sum %[[DY]] dims = [0, 2] : (tensor<5x3x4xf32>) -> tensor<3xf32>
// CHECK-NEXT: %[[DW:.*]] = graph.reshape %[[SUM]] : (tensor<3xf32>) -> tensor<3x1xf32>
// CHECK-NEXT: return {{.*}}, %[[DW]]
func.func @broadcasts(%x: tensor<5x3x4xf32> {graph.input = "x"}, %w: tensor<3x1xf32> {graph.parameter = "w"})
    -> (tensor<f32> {graph.loss}) {
  %0 = graph.add %x, %w : (tensor<5x3x4xf32>, tensor<3x1xf32>) -> tensor<5x3x4xf32>
  %1 = graph.sum %0 dims = [0, 1, 2] : (tensor<5x3x4xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// The op's policy gives the precision of its rule: softmax (DenyIO) computes
// its gradient in f32 and gives it back in f16; mul (Infer) stays in f16. A
// cast goes back for its own reason, and the gradient has the type of the
// parameter.
// CHECK-LABEL: func.func @precision_step(
// CHECK-SAME: tensor<8xf32> {graph.gradient = "w"}
// CHECK: graph.constant {graph.seed}
// CHECK: %[[DY:.*]] = graph.cast %{{.*}} because "gradient of graph.softmax is computed in f32" : (tensor<8xf16>) -> tensor<8xf32>
// CHECK: %[[Y:.*]] = graph.cast %{{.*}} because "gradient of graph.softmax is computed in f32" : (tensor<8xf16>) -> tensor<8xf32>
// CHECK: %[[DX:.*]] = graph.mul %[[Y]], %{{.*}} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
// CHECK: %[[DX16:.*]] = graph.cast %[[DX]] because "gradient of graph.softmax in the type of its operand" : (tensor<8xf32>) -> tensor<8xf16>
// CHECK: %[[DC:.*]] = graph.mul %[[DX16]], %{{.*}} : (tensor<8xf16>, tensor<8xf16>) -> tensor<8xf16>
// CHECK: %[[DW:.*]] = graph.cast %[[DC]] because "halves the traffic" : (tensor<8xf16>) -> tensor<8xf32>
// CHECK-NEXT: return %{{.*}}, %[[DW]]
func.func @precision(%x: tensor<8xf16> {graph.input = "x"}, %w: tensor<8xf32> {graph.parameter = "w"})
    -> (tensor<f32> {graph.loss}) {
  %0 = graph.cast %w because "halves the traffic" : (tensor<8xf32>) -> tensor<8xf16>
  %1 = graph.mul %0, %x : (tensor<8xf16>, tensor<8xf16>) -> tensor<8xf16>
  %2 = graph.softmax %1 dim = 0 : (tensor<8xf16>) -> tensor<8xf16>
  %3 = graph.cast %2 : (tensor<8xf16>) -> tensor<8xf32>
  %4 = graph.sum %3 dims = [0] : (tensor<8xf32>) -> tensor<f32>
  return %4 : tensor<f32>
}

// -----

// Only active paths are differentiated: nothing flows into the input, through
// the comparison, or into the branch that the loss does not see.
// CHECK-LABEL: func.func @active_step(
// CHECK: graph.constant {graph.seed}
// CHECK-NOT: graph.exp
// CHECK-NOT: graph.compare
// CHECK-COUNT-2: graph.select
// CHECK-NOT: graph.select
// CHECK: return
func.func @active(%x: tensor<f32> {graph.input = "x"}, %w: tensor<f32> {graph.parameter = "w"})
    -> (tensor<f32> {graph.loss}, tensor<f32> {graph.output = "unused"}) {
  %0 = graph.exp %x : tensor<f32>
  %1 = graph.compare <gt> %w, %x : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %unused = graph.exp %w : tensor<f32>
  %2 = graph.select %1, %w, %0 : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  %3 = graph.select %1, %0, %2 : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %3, %unused : tensor<f32>, tensor<f32>
}

// -----

// A step that is there already is left alone.
// CHECK-LABEL: func.func @again(
// CHECK-NOT: _step
func.func @again(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss})
    attributes {graph.entry = "forward"} {
  return %w : tensor<f32>
}
