// Several losses: outputs of their names, and their sum as the loss.
// RUN: mpc-opt %s --mpc-verify-import --mpc-differentiate --mpc-verify-autodiff | FileCheck %s --check-prefixes=BOTH,SHARED
// RUN: mpc-opt %s --mpc-apply-options="loss-scale=dynamic scale-scope=per_loss" --mpc-differentiate --mpc-verify-autodiff | FileCheck %s --check-prefixes=BOTH,EACH
// With a scale each, a state and outputs each; one gradient for the update.
// RUN: mpc-opt %s --mpc-apply-options="loss-scale=megatron scale-scope=per_loss" --mpc-differentiate --mpc-scale-loss --mpc-verify-scale | FileCheck %s --check-prefix=SCALED
// RUN: mpc-opt %s --mpc-apply-options="loss-scale=dynamic scale-scope=per_loss" --mpc-differentiate --mpc-scale-loss --mpc-insert-all-reduce --mpc-verify-reduce --mpc-verify-scale -o /dev/null
//
// Both ways compute the same gradients: scales are powers of two.
// RUN: mpc-opt %s --mpc-differentiate -o %t.shared.mlir
// RUN: mpc-opt %s --mpc-apply-options="loss-scale=dynamic scale-scope=per_loss" --mpc-differentiate --mpc-scale-loss | graph-eval - --rounded --function=model_step --compare=%t.shared.mlir --results=5 --rtol=1e-6 --atol=1e-6
//
// BOTH-LABEL: func.func @model(
// BOTH-SAME: -> (tensor<f32> {graph.loss_term, graph.output = "main"}, tensor<f32> {graph.output = "y"}, tensor<f32> {graph.loss_term, graph.output = "aux"}, tensor<f32> {graph.loss})
// BOTH: %[[L:.*]] = graph.add %[[A:.*]], %[[B:.*]] :
// BOTH-NEXT: return %[[A]], %{{.*}}, %[[B]], %[[L]]
// BOTH-LABEL: func.func @model_step
// SHARED-SAME: tensor<f32> {graph.loss}, tensor<f32> {graph.gradient = "v"}, tensor<f32> {graph.gradient = "w"})
// SHARED-COUNT-1: graph.seed
// SHARED-NOT: graph.seed
// EACH-SAME: tensor<f32> {graph.loss}, tensor<f32> {graph.gradient = "v", graph.of = "main"}, tensor<f32> {graph.gradient = "w", graph.of = "main"}, tensor<f32> {graph.gradient = "w", graph.of = "aux"})
// EACH: graph.constant {graph.seed = "main"}
// EACH: graph.constant {graph.seed = "aux"}
// SCALED-LABEL: func.func @model_step
// SCALED-SAME: %[[S:[a-z0-9]+]]: tensor<f32> {graph.state = #graph.state<"scaler.main.scale" loss_scale of "main" init #graph.fill<4294967296.0>>}
// SCALED-SAME: %[[ST:[a-z0-9]+]]: tensor<i32> {graph.state = #graph.state<"scaler.main.growth_tracker" scaler of "main" init #graph.zeros>}
// SCALED-SAME: %[[SH:[a-z0-9]+]]: tensor<i32> {graph.state = #graph.state<"scaler.main.hysteresis_tracker" scaler of "main" init {{[^%]*}}>}
// SCALED-SAME: %[[T:[a-z0-9]+]]: tensor<f32> {graph.state = #graph.state<"scaler.aux.scale" loss_scale of "aux" init {{[^%]*}}>}
// SCALED-SAME: tensor<f32> {graph.gradient = "v"}, tensor<f32> {graph.gradient = "w"}, tensor<i1> {graph.found_inf = "default"}, tensor<i1> {graph.output = "found_inf"}, tensor<f32> {graph.output = "scale.main"}, tensor<i1> {graph.output = "found_inf.main"}, tensor<f32> {graph.output = "scale.aux"}, tensor<i1> {graph.output = "found_inf.aux"}
// SCALED-SAME: tensor<i1> {graph.output = "scale_at_floor"})
// SCALED: graph.scale %{{.*}}, %[[S]]
// SCALED: graph.scale %{{.*}}, %[[T]]
// SCALED: %[[U:.*]]:2, %[[I:.*]] = graph.unscale %[[S]]
// SCALED: %[[V:.*]], %[[J:.*]] = graph.unscale %[[T]]
// SCALED: %[[G:.*]] = graph.add %[[U]]#1, %[[V]]
// SCALED: %[[ANY:.*]] = graph.select %[[I]], %[[I]], %[[J]]
// SCALED: graph.scaler_update %[[S]], %[[ST]], %[[I]], %[[SH]]
// SCALED: graph.scaler_update %[[T]], %{{.*}}, %[[J]], %{{.*}}
// SCALED: return %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[U]]#0, %[[G]], %[[ANY]], %[[ANY]], %[[S]], %[[I]], %[[T]], %[[J]]
func.func @model(%x: tensor<f32> {graph.input = "x"}, %v: tensor<f32> {graph.init = #graph.zeros, graph.parameter = "v"}, %w: tensor<f32> {graph.init = #graph.zeros, graph.parameter = "w"})
    -> (tensor<f32> {graph.loss = "main"}, tensor<f32> {graph.output = "y"}, tensor<f32> {graph.loss = "aux"}) {
  %y = graph.mul %x, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %a = graph.mul %y, %v : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %b = graph.mul %w, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %a, %y, %b : tensor<f32>, tensor<f32>, tensor<f32>
}
