// A parameter group and a loss may be called like a parameter: their states are
// not of it.
// RUN: rm -rf %t && split-file %s %t
// RUN: mpc-opt %t/group.mlir --compile-to=update | FileCheck %s --check-prefix=GROUP
// RUN: mpc-opt %t/loss.mlir --compile-to=update | FileCheck %s --check-prefix=LOSS
// RUN: sed 's/, graph.frozen//' %t/group.mlir > %t/trained.mlir
// RUN: mpc-opt %t/trained.mlir --compile-to=update --explain=b | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: %b = parameter 'b'
// EXPLAIN-NOT: step_counter
// EXPLAIN-NOT: learning_rate
// EXPLAIN: next 'b'
// EXPLAIN-NOT: step_counter
// EXPLAIN-NOT: learning_rate

//--- group.mlir
// GROUP-LABEL: func.func @group_step(
// GROUP-SAME: graph.frozen, {{[^}]*}}graph.parameter = "b"}
// GROUP-SAME: #graph.state<"b.step" step_counter of "b"
// GROUP-SAME: graph.updates = "b.step"
func.func @group(%x: tensor<4x2xf32> {graph.input = "x"}, %w: tensor<2xf32> {graph.parameter = "w", graph.init = #graph.fill<1.0>},
                 %c: tensor<2xf32> {graph.parameter = "c", graph.init = #graph.zeros},
                 %b: tensor<2xf32> {graph.parameter = "b", graph.init = #graph.zeros, graph.frozen}) -> (tensor<f32> {graph.loss})
    attributes {graph.training = #graph.training<
      loss_scale = #graph.loss_scale<mode = "dynamic">, optimizer = #graph.optimizer<name = "sgd", lr = 0.1>,
      groups = [#graph.parameter_group<name = "b", pattern = "[bc]", optimizer = #graph.optimizer<name = "sgd", lr = 0.2>>]>} {
  %0 = graph.mul %x, %w : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  %1 = graph.add %0, %b : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  %2 = graph.add %1, %c : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  %loss = graph.mean %2 dims = [0, 1] : (tensor<4x2xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

//--- loss.mlir
// LOSS-LABEL: func.func @loss_step(
// LOSS-SAME: #graph.state<"scaler.w.scale" loss_scale of "w"
// LOSS-SAME: graph.updates = "scaler.w.scale"
func.func @loss(%x: tensor<8x2xf32> {graph.input = "x"}, %v: tensor<2xf32> {graph.parameter = "v", graph.init = #graph.fill<1.0>},
                %w: tensor<2xf32> {graph.parameter = "w", graph.init = #graph.fill<1.0>, graph.frozen})
    -> (tensor<f32> {graph.loss = "w"}, tensor<f32> {graph.loss = "aux"})
    attributes {graph.training = #graph.training<
      loss_scale = #graph.loss_scale<mode = "dynamic", scope = "per_loss">, optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} {
  %0 = graph.mul %x, %v : (tensor<8x2xf32>, tensor<2xf32>) -> tensor<8x2xf32>
  %1 = graph.mul %0, %w : (tensor<8x2xf32>, tensor<2xf32>) -> tensor<8x2xf32>
  %main = graph.mean %1 dims = [0, 1] : (tensor<8x2xf32>) -> tensor<f32>
  %2 = graph.mul %v, %v : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %aux = graph.mean %2 dims = [0] : (tensor<2xf32>) -> tensor<f32>
  return %main, %aux : tensor<f32>, tensor<f32>
}
