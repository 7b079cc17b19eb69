// One unscale and one found_inf per parameter group; the scale sees them all.
// What a group that matches nothing, or is matched by an earlier one, says:
// RUN: mpc-opt %s --mpc-apply-options --verify-diagnostics -o /dev/null
// RUN: mpc-opt %s --mpc-scale-loss --mpc-verify-scale | FileCheck %s
// RUN: mpc-opt %s --mpc-scale-loss --mpc-insert-all-reduce --mpc-verify-scale --mpc-verify-reduce | FileCheck %s --check-prefix=REDUCE
// CHECK-LABEL: func.func @m_step
// CHECK-SAME: %[[SCALE:[a-z0-9]+]]: tensor<f32> {graph.state = #graph.state<"scaler.scale" loss_scale init {{[^%]*}}>}
// CHECK-SAME: tensor<i1> {graph.found_inf = "biases"}, tensor<i1> {graph.found_inf = "default"}, tensor<i1> {graph.output = "found_inf"}
// CHECK: %[[B:.*]], %[[I:.*]] = graph.unscale %[[SCALE]], %{{.*}} : (tensor<f32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<i1>)
// CHECK: %[[W:.*]]:2, %[[J:.*]] = graph.unscale %[[SCALE]], %{{.*}}, %{{.*}} : (tensor<f32>, tensor<2xf32>, tensor<2xf32>)
// CHECK: %[[ANY:.*]] = graph.select %[[I]], %[[I]], %[[J]]
// CHECK: graph.scaler_update %[[SCALE]], %{{.*}}, %[[ANY]]
// CHECK: return %{{.*}}, %[[W]]#0, %[[B]], %[[W]]#1, %[[I]], %[[J]], %[[ANY]], %[[SCALE]]
// REDUCE: %[[R:.*]]:3 = graph.all_reduce <average>
// REDUCE: graph.unscale %{{.*}}, %[[R]]#{{[0-2]}} :
// REDUCE: graph.unscale %{{.*}}, %[[R]]#{{[0-2]}}, %[[R]]#{{[0-2]}} :
func.func @m_step(%x: tensor<2xf32> {graph.input = "x"}, %w: tensor<2xf32> {graph.parameter = "0.weight"}, %b: tensor<2xf32> {graph.parameter = "0.bias"}, %v: tensor<2xf32> {graph.parameter = "1.weight"})
    -> (tensor<f32> {graph.loss}, tensor<2xf32> {graph.gradient = "0.weight"}, tensor<2xf32> {graph.gradient = "0.bias"}, tensor<2xf32> {graph.gradient = "1.weight"})
    attributes {graph.entry = "step", graph.training = #graph.training<loss_scale = #graph.loss_scale<mode = "dynamic">, optimizer = #graph.optimizer<name = "sgd", lr = 1.0>,
      groups = [#graph.parameter_group<name = "biases", pattern = ".*\\.bias", optimizer = #graph.optimizer<name = "sgd", lr = 2.0>>,
                #graph.parameter_group<name = "late", pattern = "0\\.b.*|2\\..*", optimizer = #graph.optimizer<name = "sgd", lr = 2.0>>]>} {
  %p = graph.mul %x, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %l = graph.sum %p dims = [0] : (tensor<2xf32>) -> tensor<f32>
  %seed = graph.constant {graph.seed} dense<1.0> : tensor<f32>
  %d = graph.broadcast %seed : (tensor<f32>) -> tensor<2xf32>
  %g = graph.mul %d, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %h = graph.neg %d : tensor<2xf32>
  %k = graph.neg %g : tensor<2xf32>
  return %l, %g, %h, %k : tensor<f32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// expected-warning@+1 {{parameter group 'late' takes no parameter: 'b.*' matches the whole name of none that an earlier group leaves}}
func.func @model(%x: tensor<2xf32> {graph.input = "x"}, %w: tensor<2xf32> {graph.parameter = "0.bias"}) -> (tensor<2xf32> {graph.output = "y"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 1.0>,
      groups = [#graph.parameter_group<name = "biases", pattern = ".*bias", optimizer = #graph.optimizer<name = "sgd", lr = 2.0>>,
                #graph.parameter_group<name = "late", pattern = "b.*", optimizer = #graph.optimizer<name = "sgd", lr = 2.0>>]>} {
  %y = graph.add %x, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
