// The location of an op of the backward says whose derivative it is.
// RUN: not mpc-opt %s --mpc-verify-autodiff 2>&1 | FileCheck %s
// CHECK: exp.mlir:1:1: error: expected the derivative of 'graph.exp' in at least its 32 bits, but got 16
// CHECK: exp.mlir:1:1: note: the primal
func.func @m(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}) attributes {graph.entry = "forward"} {
  %y = graph.exp %w : tensor<f32>
  return %y : tensor<f32>
}
func.func @m_step(%w: tensor<f32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}, tensor<f32> {graph.gradient = "w"}) attributes {graph.entry = "step"} {
  %y = graph.exp %w : tensor<f32> loc("exp.mlir":1:1)
  %seed = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  %h = graph.cast %y : (tensor<f32>) -> tensor<f16> loc("exp.mlir":1:1)
  %s = graph.cast %seed : (tensor<f32>) -> tensor<f16> loc("exp.mlir":1:1)
  %d = graph.mul %h, %s : (tensor<f16>, tensor<f16>) -> tensor<f16> loc("exp.mlir":1:1)
  %g = graph.cast %d : (tensor<f16>) -> tensor<f32>
  return %y, %g : tensor<f32>, tensor<f32>
}
