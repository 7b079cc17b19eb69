// RUN: mpc-opt %s --mpc-accumulate-gradients --mpc-verify-accumulate --split-input-file | FileCheck %s
// RUN: mpc-opt %s --mpc-accumulate-gradients="accumulate=1" --mpc-verify-accumulate --split-input-file | FileCheck %s --check-prefix=ONE
// With one micro-batch there is nothing to add up.
// ONE-NOT: _accumulate
// ONE-NOT: accumulator

// A scaled step: what is added up is scaled, and unscaled once. A frozen
// parameter has no sum.
// CHECK-LABEL: func.func @scaled(
// CHECK-LABEL: func.func @scaled_accumulate(
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<4xf32> {graph.parameter = "w"}
// CHECK-SAME: %[[SCALE:[a-z0-9]+]]: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale>}
// CHECK-SAME: %[[SUM:[a-z0-9]+]]: tensor<4xf32> {graph.state = #graph.state<"w.grad" accumulator of "w" init #graph.zeros>}
// CHECK-SAME: %[[LOSSES:[a-z0-9]+]]: tensor<f32> {graph.state = #graph.state<"accumulation.loss" accumulator init #graph.zeros>}
// CHECK-SAME: -> (tensor<f32> {graph.loss}, tensor<4xf32> {graph.output = "y"}, tensor<4xf32> {graph.updates = "w.grad"}, tensor<f32> {graph.updates = "accumulation.loss"})
// CHECK-SAME: graph.entry = "accumulate"
// CHECK: %[[LOSS:.*]] = graph.sum
// CHECK: %[[NEXTLOSS:.*]] = graph.add %[[LOSSES]], %[[LOSS]]
// CHECK: %[[SEED:.*]] = graph.constant {graph.seed} dense<2.500000e-01>
// CHECK: %[[SCALED:.*]] = graph.scale %[[SEED]], %[[SCALE]]
// CHECK: %[[G:.*]] = graph.broadcast %[[SCALED]]
// CHECK: %[[NEXT:.*]] = graph.add %[[SUM]], %[[G]]
// CHECK-NOT: graph.unscale
// CHECK: return %[[LOSS]], %{{.*}}, %[[NEXT]], %[[NEXTLOSS]]

// CHECK-LABEL: func.func @scaled_step(
// CHECK-SAME: %[[SUM:[a-z0-9]+]]: tensor<4xf32> {graph.state = #graph.state<"w.grad" accumulator of "w" init #graph.zeros>}
// CHECK-SAME: %[[LOSSES:[a-z0-9]+]]: tensor<f32> {graph.state = #graph.state<"accumulation.loss" accumulator init #graph.zeros>}
// CHECK-SAME: tensor<i1> {graph.output = "found_inf"}, tensor<f32> {graph.output = "scale"}, tensor<4xf32> {graph.updates = "w.grad"}, tensor<f32> {graph.updates = "accumulation.loss"})
// CHECK: %[[ALL:.*]] = graph.add %[[LOSSES]], %{{.*}} : (tensor<f32>
// CHECK: %[[TOTAL:.*]] = graph.add %[[SUM]], %{{.*}} : (tensor<4xf32>
// CHECK: %[[U:.*]], %[[INF:.*]] = graph.unscale %{{[a-z0-9]+}}, %[[TOTAL]] :
// CHECK: %[[NOGRAD:.*]] = graph.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK: %[[QUARTER:.*]] = graph.constant dense<2.500000e-01> : tensor<f32>
// CHECK: %[[MEAN:.*]] = graph.mul %[[ALL]], %[[QUARTER]]
// CHECK: %[[NOLOSS:.*]] = graph.constant dense<0.000000e+00> : tensor<f32>
// CHECK: return %[[MEAN]], %{{.*}}, %[[U]], %[[INF]], %{{.*}}, %[[NOGRAD]], %[[NOLOSS]]
func.func @scaled(%w: tensor<4xf32> {graph.parameter = "w"}, %v: tensor<2xf32> {graph.frozen, graph.parameter = "v"})
    -> (tensor<f32> {graph.loss}, tensor<4xf32> {graph.output = "y"}) attributes {graph.entry = "forward"} {
  %y = graph.exp %w : tensor<4xf32>
  %loss = graph.sum %w dims = [0] : (tensor<4xf32>) -> tensor<f32>
  return %loss, %y : tensor<f32>, tensor<4xf32>
}
func.func @scaled_step(%w: tensor<4xf32> {graph.parameter = "w"}, %v: tensor<2xf32> {graph.frozen, graph.parameter = "v"},
                       %s: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale>})
    -> (tensor<f32> {graph.loss}, tensor<4xf32> {graph.output = "y"}, tensor<4xf32> {graph.gradient = "w"},
        tensor<i1> {graph.output = "found_inf"}, tensor<f32> {graph.output = "scale"})
    attributes {graph.entry = "step", graph.training = #graph.training<loss_scale = #graph.loss_scale<mode = "dynamic">, accumulate = 4>} {
  %y = graph.exp %w : tensor<4xf32>
  %loss = graph.sum %w dims = [0] : (tensor<4xf32>) -> tensor<f32>
  %seed = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  %scaled = graph.scale %seed, %s : tensor<f32>, tensor<f32>
  %g = graph.broadcast %scaled : (tensor<f32>) -> tensor<4xf32>
  %u, %inf = graph.unscale %s, %g : (tensor<f32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<i1>)
  return %loss, %y, %u, %inf, %s : tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<i1>, tensor<f32>
}

// -----

// Without a scale the gradient results are added up. 1 / 3 is rounded to the
// type of the loss.
// CHECK-LABEL: func.func @plain_accumulate(
// CHECK: graph.constant {graph.seed} dense<0.33333333333333331> : tensor<f64>
// CHECK-LABEL: func.func @plain_step(
// CHECK-SAME: %[[SUM:arg[0-9]+]]: tensor<4xf64> {graph.state = #graph.state<"w.grad" accumulator of "w" init #graph.zeros>}
// CHECK: %[[TOTAL:.*]] = graph.add %[[SUM]], %{{.*}} : (tensor<4xf64>
// CHECK: return %{{.*}}, %[[TOTAL]], %{{.*}}, %{{.*}}
func.func @plain_step(%w: tensor<4xf64> {graph.parameter = "w"})
    -> (tensor<f64> {graph.loss}, tensor<4xf64> {graph.gradient = "w"})
    attributes {graph.entry = "step", graph.training = #graph.training<accumulate = 3>} {
  %loss = graph.sum %w dims = [0] : (tensor<4xf64>) -> tensor<f64>
  %seed = graph.constant {graph.seed} dense<1.0> : tensor<f64>
  %g = graph.broadcast %seed : (tensor<f64>) -> tensor<4xf64>
  return %loss, %g : tensor<f64>, tensor<4xf64>
}

// -----

// A parameter that is added to the loss: its gradient is the seed, a constant,
// and is added up like any other.
// CHECK-LABEL: func.func @offset_accumulate(
// CHECK-SAME: %[[SUM:[a-z0-9]+]]: tensor<f32> {graph.state = #graph.state<"b.grad" accumulator of "b" init #graph.zeros>}
// CHECK: %[[SEED:.*]] = graph.constant {graph.seed} dense<2.500000e-01>
// CHECK: graph.add %[[SUM]], %[[SEED]]
// CHECK-LABEL: func.func @offset_step(
// CHECK-SAME: %[[SUM:[a-z0-9]+]]: tensor<f32> {graph.state = #graph.state<"b.grad" accumulator of "b" init #graph.zeros>}
// CHECK-SAME: tensor<f32> {graph.gradient = "b"}
// CHECK: %[[SEED:.*]] = graph.constant {graph.seed} dense<2.500000e-01>
// CHECK: %[[TOTAL:.*]] = graph.add %[[SUM]], %[[SEED]]
// CHECK: return %{{.*}}, %[[TOTAL]],
func.func @offset(%b: tensor<f32> {graph.parameter = "b"}) -> (tensor<f32> {graph.loss}) attributes {graph.entry = "forward"} {
  return %b : tensor<f32>
}
func.func @offset_step(%b: tensor<f32> {graph.parameter = "b"}) -> (tensor<f32> {graph.loss}, tensor<f32> {graph.gradient = "b"})
    attributes {graph.entry = "step", graph.training = #graph.training<accumulate = 4>} {
  %seed = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  return %b, %seed : tensor<f32>, tensor<f32>
}
