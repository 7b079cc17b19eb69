// RUN: mpc-opt %s --compile-to=autodiff | FileCheck %s
// The gradient of what each step reads is added up over time in f32: of a
// thousand ones bf16 would count to 256.

// CHECK-LABEL: func.func @loop_step
// CHECK: %[[SUM:.*]] = graph.scan steps = 1000 reverse {{.*}} -> tensor<1xf32> {
// CHECK: graph.cast %{{.*}} because "summed over time" : (tensor<1xbf16>) -> tensor<1xf32>
// CHECK: graph.cast %[[SUM]] because "summed over time" : (tensor<1xf32>) -> tensor<1xbf16>
func.func @loop(%x: tensor<1000x1xbf16> {graph.input = "x"}, %w: tensor<1xf32> {graph.parameter = "w", graph.init = #graph.zeros}) -> (tensor<f32> {graph.loss}) attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.001>>} {
  %zero = graph.constant dense<0.0> : tensor<1xf32>
  %narrow = graph.cast %w : (tensor<1xf32>) -> tensor<1xbf16>
  %c, %ys = graph.scan steps = 1000 carry %zero each %x with %narrow : (tensor<1xf32>, tensor<1000x1xbf16>, tensor<1xbf16>) -> (tensor<1xf32>, tensor<1000x1xbf16>) {
  ^bb0(%now: tensor<1xf32>, %e: tensor<1xbf16>, %k: tensor<1xbf16>):
    %p = graph.mul %e, %k : (tensor<1xbf16>, tensor<1xbf16>) -> tensor<1xbf16>
    graph.yield %now, %p : tensor<1xf32>, tensor<1xbf16>
  }
  %f = graph.cast %ys : (tensor<1000x1xbf16>) -> tensor<1000x1xf32>
  %loss = graph.sum %f dims = [0, 1] : (tensor<1000x1xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
