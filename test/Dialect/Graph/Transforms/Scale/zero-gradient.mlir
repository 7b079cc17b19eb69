// RUN: mpc-opt %s --split-input-file --optimizer=sgd --lr=0.1 --loss-scale=dynamic --precision=fp16 --compile-to=scale | FileCheck %s
// RUN: mpc-opt %s --split-input-file --optimizer=sgd --lr=0.1 --loss-scale=dynamic --precision=bf16 --compile-to=update -o /dev/null
// Gradients that are 0 by what an op is are constants, whatever lies between it
// and the parameter: no scale reaches them, and none has to.

// With one step of time nothing is carried.
// CHECK-LABEL: func.func @one_step
// CHECK: %[[ZERO:.*]] = graph.constant dense<0.000000e+00> : tensor<4x4xf32>
// CHECK: graph.unscale {{.*}}, %[[ZERO]] :
func.func @one(%x: tensor<1x2x3xf32> {graph.input = "x"},
               %w: tensor<4x3xf32> {graph.parameter = "w", graph.init = #graph.fill<0.1>},
               %u: tensor<4x4xf32> {graph.parameter = "u", graph.init = #graph.fill<0.1>})
    -> (tensor<f32> {graph.loss}) {
  %y, %last, %states = graph.rnn %x, %w, %u : (tensor<1x2x3xf32>, tensor<4x3xf32>, tensor<4x4xf32>) -> (tensor<1x2x4xf32>, tensor<2x4xf32>, tensor<1x2x4xf32>)
  %loss = graph.sum %y dims = [0, 1, 2] : (tensor<1x2x4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// The one step sees the edge, and nothing of the sequence, which comes from
// products.
// CHECK-LABEL: func.func @edge_step
// CHECK-DAG: %[[W:.*]] = graph.constant dense<0.000000e+00> : tensor<3x4xf32>
// CHECK: graph.unscale {{.*}}%[[W]],
func.func @edge(%x: tensor<1x2x3xf32> {graph.input = "x"},
                %w: tensor<3x4xf32> {graph.parameter = "w", graph.init = #graph.fill<0.1>},
                %e: tensor<2x4xf32> {graph.parameter = "e", graph.init = #graph.fill<0.1>})
    -> (tensor<f32> {graph.loss}) {
  %0 = graph.matmul %x, %w : (tensor<1x2x3xf32>, tensor<3x4xf32>) -> tensor<1x2x4xf32>
  %1 = graph.gelu %0 : tensor<1x2x4xf32>
  %y = graph.scan steps = 1 carry %e each %1 shifts = [-1] edges %e : (tensor<2x4xf32>, tensor<1x2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32> {
  ^bb0(%h: tensor<2x4xf32>, %before: tensor<2x4xf32>):
    %2 = graph.mul %h, %before : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    graph.yield %2 : tensor<2x4xf32>
  }
  %loss = graph.sum %y dims = [0, 1] : (tensor<2x4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Of a body that floors its sequence and one of its constants.
// CHECK-LABEL: func.func @floored_step
// CHECK: graph.scan steps = 5 reverse
// CHECK: graph.yield
// CHECK-DAG: %[[W:.*]] = graph.constant dense<0.000000e+00> : tensor<5xf32>
// CHECK-DAG: %[[C:.*]] = graph.constant dense<0.000000e+00> : tensor<f32>
// CHECK: graph.unscale %{{[^,]*}}, %[[W]], %[[C]],
func.func @floored(%w: tensor<5xf32> {graph.parameter = "w", graph.init = #graph.fill<0.1>},
                   %c: tensor<f32> {graph.parameter = "c", graph.init = #graph.fill<0.1>},
                   %e: tensor<f32> {graph.parameter = "e", graph.init = #graph.fill<0.1>})
    -> (tensor<f32> {graph.loss}) {
  %0 = graph.sin %w : tensor<5xf32>
  %1 = graph.sin %c : tensor<f32>
  %y, %ys = graph.scan steps = 5 carry %e each %0 with %1 : (tensor<f32>, tensor<5xf32>, tensor<f32>) -> (tensor<f32>, tensor<5xf32>) {
  ^bb0(%h: tensor<f32>, %now: tensor<f32>, %constant: tensor<f32>):
    %2 = graph.mul %h, %h : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %3 = graph.floor %now : tensor<f32>
    %4 = graph.floor %constant : tensor<f32>
    %5 = graph.add %2, %3 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %6 = graph.add %5, %4 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    graph.yield %6, %6 : tensor<f32>, tensor<f32>
  }
  %loss = graph.sum %ys dims = [0] : (tensor<5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Of one that floors what is carried: the first state has no part in the loss.
// CHECK-LABEL: func.func @whole_step
// CHECK: graph.scan steps = 5 reverse
// CHECK: graph.yield
// CHECK: %[[ZERO:.*]] = graph.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: graph.unscale {{.*}}, %[[ZERO]] :
func.func @whole(%w: tensor<5xf32> {graph.parameter = "w", graph.init = #graph.fill<0.1>},
                 %e: tensor<f32> {graph.parameter = "e", graph.init = #graph.fill<0.1>})
    -> (tensor<f32> {graph.loss}) {
  %first = graph.sin %e : tensor<f32>
  %y, %ys = graph.scan steps = 5 carry %first each %w : (tensor<f32>, tensor<5xf32>) -> (tensor<f32>, tensor<5xf32>) {
  ^bb0(%h: tensor<f32>, %now: tensor<f32>):
    %1 = graph.floor %h : tensor<f32>
    %2 = graph.exp %now : tensor<f32>
    %3 = graph.add %1, %2 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    graph.yield %3, %3 : tensor<f32>, tensor<f32>
  }
  %loss = graph.sum %ys dims = [0] : (tensor<5xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// What goes into a body that reads neither its sequence nor one of its constants
// does not reach the loss.
// CHECK-LABEL: func.func @ignored_step
// CHECK-SAME: {graph.frozen,{{[^}]*}} graph.parameter = "w"}
// CHECK-SAME: {graph.frozen,{{[^}]*}} graph.parameter = "c"}
// CHECK: graph.scan steps = 5 reverse
// CHECK: graph.unscale %{{[^,]*}}, %{{[^,]*}} : (tensor<f32>, tensor<2x4xf32>)
func.func @ignored(%x: tensor<5x2x3xf32> {graph.input = "x"},
                   %w: tensor<3x4xf32> {graph.parameter = "w", graph.init = #graph.fill<0.1>},
                   %c: tensor<4xf32> {graph.parameter = "c", graph.init = #graph.fill<0.1>},
                   %e: tensor<2x4xf32> {graph.parameter = "e", graph.init = #graph.fill<0.1>})
    -> (tensor<f32> {graph.loss}) {
  %0 = graph.matmul %x, %w : (tensor<5x2x3xf32>, tensor<3x4xf32>) -> tensor<5x2x4xf32>
  %1 = graph.tanh %c : tensor<4xf32>
  %y, %ys = graph.scan steps = 5 carry %e each %0 with %1 : (tensor<2x4xf32>, tensor<5x2x4xf32>, tensor<4xf32>) -> (tensor<2x4xf32>, tensor<5x2x4xf32>) {
  ^bb0(%h: tensor<2x4xf32>, %now: tensor<2x4xf32>, %constant: tensor<4xf32>):
    %2 = graph.mul %h, %h : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    graph.yield %2, %h : tensor<2x4xf32>, tensor<2x4xf32>
  }
  %loss = graph.sum %ys dims = [0, 1, 2] : (tensor<5x2x4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Nor does the first state of one that begins anew in each step.
// CHECK-LABEL: func.func @anew_step
// CHECK-SAME: {graph.frozen,{{[^}]*}} graph.parameter = "e"}
// CHECK: graph.scan steps = 5 reverse
// CHECK: graph.unscale %{{[^,]*}}, %{{[^,]*}} : (tensor<f32>, tensor<5x2x4xf32>)
func.func @anew(%w: tensor<5x2x4xf32> {graph.parameter = "w", graph.init = #graph.fill<0.1>},
                %e: tensor<2x4xf32> {graph.parameter = "e", graph.init = #graph.fill<0.1>})
    -> (tensor<f32> {graph.loss}) {
  %first = graph.sin %e : tensor<2x4xf32>
  %y, %ys = graph.scan steps = 5 carry %first each %w : (tensor<2x4xf32>, tensor<5x2x4xf32>) -> (tensor<2x4xf32>, tensor<5x2x4xf32>) {
  ^bb0(%h: tensor<2x4xf32>, %now: tensor<2x4xf32>):
    %2 = graph.exp %now : tensor<2x4xf32>
    graph.yield %2, %2 : tensor<2x4xf32>, tensor<2x4xf32>
  }
  %loss = graph.sum %ys dims = [0, 1, 2] : (tensor<5x2x4xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
