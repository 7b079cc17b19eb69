// An op of another dialect with several results: all of them have a type, a
// cotangent, the batch, and a place in the kernel.
// RUN: foreign-opt %s --mpc-train="precision=bf16 loss-scale=none optimizer=sgd lr=0.1" | FileCheck %s
// RUN: foreign-opt %s --mpc-stage-import="precision=bf16 loss-scale=none optimizer=sgd lr=0.1" --mpc-stage-autocast --mpc-stage-autodiff | FileCheck %s --check-prefix=GRADIENT
// RUN: foreign-opt %s --mpc-set-batch=batch=6 --mpc-verify-import | FileCheck %s --check-prefix=BATCH
// CHECK: exec.kernel
// CHECK: %[[SUM:.*]], %[[DIFFERENCE:.*]] = example.sum_difference %{{.*}} : (tensor<4x8xbf16>, tensor<8xbf16>) -> (tensor<4x8xbf16>, tensor<4x8xbf16>)
// CHECK: example.sum_difference %[[DIFFERENCE]], %{{.*}}
// GRADIENT-LABEL: func.func @model_step
// GRADIENT: %[[ZERO:.*]] = graph.constant dense<0.000000e+00> : tensor<4x8xbf16>
// GRADIENT: %[[OF_DIFFERENCE:.*]] = graph.add %{{.*}}, %[[ZERO]]
// GRADIENT: %[[NOTHING:.*]] = graph.constant dense<0.000000e+00> : tensor<4x8xbf16>
// GRADIENT: graph.add %[[NOTHING]], %[[OF_DIFFERENCE]]
// GRADIENT: graph.sub %[[NOTHING]], %[[OF_DIFFERENCE]]
// BATCH: example.sum_difference %{{.*}} : (tensor<6x8xf32>, tensor<8xf32>) -> (tensor<6x8xf32>, tensor<6x8xf32>)
func.func @model(%x: tensor<4x8xf32> {graph.input = "x"}, %w: tensor<8x8xf32> {graph.init = #graph.zeros, graph.parameter = "w"},
    %b: tensor<8xf32> {graph.init = #graph.zeros, graph.parameter = "b"}, %y: tensor<4x8xf32> {graph.input = "y"})
    -> (tensor<f32> {graph.loss}, tensor<4x8xf32> {graph.output = "sum"}) {
  %0 = graph.matmul %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1:2 = example.sum_difference %0, %b : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
  %2:2 = example.sum_difference %1#1, %y : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
  %3 = graph.mean %2#0 dims = [0, 1] : (tensor<4x8xf32>) -> tensor<f32>
  return %3, %1#0 : tensor<f32>, tensor<4x8xf32>
}
