// RUN: mpc-opt %s --split-input-file --mpc-differentiate=print-saved=true --mpc-verify-autodiff 2> %t.remarks | FileCheck %s --implicit-check-not=stop_gradient
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not=warning: --implicit-check-not=remark < %t.remarks
// RUN: mpc-opt %s --split-input-file --mpc-differentiate=forward-only=true | FileCheck %s --check-prefix=FORWARD --implicit-check-not=stop_gradient

// Behind the stop nothing is a gradient's: the exp has none, and keeps nothing
// but its result, which the product reads; the parameter of the other is frozen,
// as of one that does not reach the loss, but that is what the model says.
// CHECK-LABEL: func.func @teacher(
// CHECK: %[[E:.*]] = graph.exp
// CHECK: graph.mul %{{.*}}, %[[E]]
// CHECK-LABEL: func.func @teacher_step(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32> {graph.input = "x"}
// CHECK-SAME: {graph.frozen, graph.parameter = "t"}
// CHECK-SAME: -> (tensor<f32> {graph.loss}, tensor<4xf32> {graph.output = "y"}, tensor<4xf32> {graph.gradient = "w"})
// CHECK: %[[T:.*]] = graph.exp
// CHECK: graph.constant {graph.seed}
// CHECK: %[[DM:.*]] = graph.broadcast
// CHECK-NEXT: %[[DY:.*]] = graph.mul %[[DM]], %[[T]]
// CHECK-NEXT: %[[DW:.*]] = graph.mul %[[DY]], %[[X]]
// CHECK-NEXT: return %{{.*}}, %[[X]], %[[DW]]
// REMARK: remark: parameter 't' reaches the loss, but no gradient reaches it; no step changes it
// REMARK: remark: kept for the backward: 'tensor<4xf32>' of graph.exp, 16 bytes
// REMARK: remark: kept for the backward: 1 values, 16 bytes
// FORWARD-LABEL: func.func @teacher(
// FORWARD: %[[E:.*]] = graph.exp
// FORWARD: graph.mul %{{.*}}, %[[E]]
func.func @teacher(%x: tensor<4xf32> {graph.input = "x"}, %w: tensor<4xf32> {graph.parameter = "w"}, %t: tensor<4xf32> {graph.parameter = "t"})
    -> (tensor<f32> {graph.loss}, tensor<4xf32> {graph.output = "y"}) {
  %0 = graph.mul %x, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.exp %t : tensor<4xf32>
  %2 = graph.stop_gradient %1 : tensor<4xf32>
  %3 = graph.mul %0, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = graph.sum %3 dims = [0] : (tensor<4xf32>) -> tensor<f32>
  %5 = graph.stop_gradient %x : tensor<4xf32>
  return %4, %5 : tensor<f32>, tensor<4xf32>
}

// -----

// What has no gradient may stand behind a stop.
// CHECK-LABEL: func.func @unrolled_step(
// CHECK: graph.stochastic_round
// REMARK: remark: kept for the backward: 'tensor<4xf32>' of graph.cast
// REMARK: remark: kept for the backward: 1 values
func.func @unrolled(%w: tensor<4xf32> {graph.parameter = "w"}, %k: tensor<i32> {graph.input = "k"}) -> (tensor<f32> {graph.loss}) {
  %0 = graph.stop_gradient %w : tensor<4xf32>
  %1 = graph.stochastic_round %0 step %k seed %k stream = 0 : (tensor<4xf32>, tensor<i32>, tensor<i32>) -> tensor<4xbf16>
  %2 = graph.cast %1 : (tensor<4xbf16>) -> tensor<4xf32>
  %3 = graph.mul %w, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = graph.sum %3 dims = [0] : (tensor<4xf32>) -> tensor<f32>
  return %4 : tensor<f32>
}

// -----

// A scan that is read through a stop alone keeps nothing of what it carries.
// CHECK-LABEL: func.func @past_step(
// CHECK: graph.scan steps = 3 {{.*}} -> tensor<4xf32> {
// CHECK-NOT: graph.scan
// CHECK: graph.seed
// CHECK-NOT: graph.scan
// REMARK: remark: parameter 'u' reaches the loss, but no gradient reaches it; no step changes it
// REMARK: remark: kept for the backward: 'tensor<4xf32>' of graph.scan
// REMARK: remark: kept for the backward: 1 values, 16 bytes
func.func @past(%x: tensor<3x4xf32> {graph.input = "x"}, %u: tensor<4xf32> {graph.parameter = "u"}, %w: tensor<4xf32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}) {
  %s = graph.stop_gradient %u : tensor<4xf32>
  %last = graph.scan steps = 3 carry %s each %x : (tensor<4xf32>, tensor<3x4xf32>) -> tensor<4xf32> {
  ^bb0(%h: tensor<4xf32>, %e: tensor<4xf32>):
    %n = graph.mul %h, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    graph.yield %n : tensor<4xf32>
  }
  %0 = graph.mul %last, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.sum %0 dims = [0] : (tensor<4xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

// Stops in the body of a scan: nothing of what they alone read is trained, be
// it carried at first, a sequence or its edge, or the same in each step, while
// what stands beside them is. 'd' goes into a result that no loss reads.
// CHECK-LABEL: func.func @within(
// CHECK-LABEL: func.func @within_step(
// CHECK-SAME: {graph.frozen, graph.parameter = "carried"}
// CHECK-SAME: {graph.frozen, graph.parameter = "sequence"}
// CHECK-SAME: {graph.frozen, graph.parameter = "edge"}
// CHECK-SAME: {graph.frozen, graph.parameter = "constant"}
// CHECK-SAME: {graph.frozen, graph.parameter = "d"}
// CHECK-SAME: %{{[^ ]*}}: tensor<4xf32> {graph.parameter = "w"}) ->
// CHECK-SAME: (tensor<f32> {graph.loss}, tensor<4xf32> {graph.gradient = "w"})
// CHECK: graph.scan steps = 3 carry {{.*}} -> (tensor<4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) {
// CHECK: graph.seed
// CHECK: graph.scan steps = 3 reverse {{.*}} -> tensor<4xf32> {
// REMARK: warning: parameter 'd' does not reach the loss; no step changes it
// REMARK: remark: 4 parameters reach the loss, but no gradient reaches them: 'carried', 'sequence', 'edge', 'constant'; no step changes them
// REMARK: remark: kept for the backward: 'tensor<3x4xf32>' of graph.scan
// REMARK: remark: kept for the backward: 1 values
func.func @within(%h0: tensor<4xf32> {graph.parameter = "carried"}, %x: tensor<3x4xf32> {graph.parameter = "sequence"},
                  %e0: tensor<4xf32> {graph.parameter = "edge"}, %c: tensor<4xf32> {graph.parameter = "constant"},
                  %d: tensor<4xf32> {graph.parameter = "d"}, %w: tensor<4xf32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}) {
  %last, %all, %other = graph.scan steps = 3 carry %h0 each %x shifts = [-1] edges %e0 with %c, %d, %w : (tensor<4xf32>, tensor<3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) {
  ^bb0(%h: tensor<4xf32>, %e: tensor<4xf32>, %k: tensor<4xf32>, %l: tensor<4xf32>, %v: tensor<4xf32>):
    %sh = graph.stop_gradient %h : tensor<4xf32>
    %se = graph.stop_gradient %e : tensor<4xf32>
    %sk = graph.stop_gradient %k : tensor<4xf32>
    %0 = graph.mul %sh, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = graph.mul %se, %sk : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %n = graph.add %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %o = graph.mul %v, %l : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    graph.yield %n, %n, %o : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  %2 = graph.sum %all dims = [0, 1] : (tensor<3x4xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}

// -----

// A result that depends on parameters through stops alone is a constant to what
// reads it, which may have no gradient; the scan keeps nothing that it carries.
// CHECK-LABEL: func.func @held(
// CHECK-LABEL: func.func @held_step(
// CHECK: graph.scan steps = 3 {{.*}} -> tensor<4xf32> {
// CHECK-NOT: graph.scan
// REMARK: remark: parameter 'u' reaches the loss, but no gradient reaches it; no step changes it
// REMARK: remark: kept for the backward: 'tensor<4xf32>' of graph.cast
// REMARK: remark: kept for the backward: 1 values, 16 bytes
func.func @held(%z: tensor<4xf32> {graph.input = "z"}, %i: tensor<i32> {graph.input = "i"}, %u: tensor<4xf32> {graph.parameter = "u"}, %w: tensor<4xf32> {graph.parameter = "w"}) -> (tensor<f32> {graph.loss}) {
  %last = graph.scan steps = 3 carry %z with %u : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%h: tensor<4xf32>, %k: tensor<4xf32>):
    %s = graph.stop_gradient %k : tensor<4xf32>
    %n = graph.mul %h, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    graph.yield %n : tensor<4xf32>
  }
  %0 = graph.stochastic_round %last step %i seed %i stream = 0 : (tensor<4xf32>, tensor<i32>, tensor<i32>) -> tensor<4xbf16>
  %1 = graph.cast %0 : (tensor<4xbf16>) -> tensor<4xf32>
  %2 = graph.mul %1, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = graph.sum %2 dims = [0] : (tensor<4xf32>) -> tensor<f32>
  return %3 : tensor<f32>
}
