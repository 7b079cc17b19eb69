// Casts that the compiler put on a parameter become state that the step writes;
// the user's casts, and all casts with on-the-fly, stay.
// RUN: mpc-opt %s --mpc-insert-update --mpc-verify-update | FileCheck %s
// RUN: mpc-opt %s --mpc-insert-update="weight-copies=on-the-fly" --mpc-verify-update | FileCheck %s --check-prefix=FLY
//
// The model may say so itself.
// RUN: sed "s/#graph.training</#graph.training<weight_copies = \"on-the-fly\", /" %s | mpc-opt --mpc-insert-update | FileCheck %s --check-prefix=FLY
// The step computes the same either way.
// RUN: mpc-opt %s --mpc-insert-update -o %t.persistent
// RUN: mpc-opt %s --mpc-insert-update="weight-copies=on-the-fly" | graph-eval - --rounded --function=m_step --compare=%t.persistent --results=4 --rtol=0 --atol=0

// CHECK-LABEL: func.func @m_init
// CHECK-SAME: (%[[MASTER:[a-z0-9]+]]: tensor<2xf32> {graph.init = #graph.zeros, graph.parameter = "w"}) -> (tensor<2xf16> {graph.updates = "w.f16"}) attributes {graph.entry = "init"}
// CHECK: %[[COPY:.*]] = graph.cast %[[MASTER]] because "16-bit copy of 'w'"
// CHECK: return %[[COPY]]
// CHECK-LABEL: func.func @m(
// CHECK-SAME: %[[F16:[a-z0-9]+]]: tensor<2xf16> {graph.state = #graph.state<"w.f16" weight_copy of "w">})
// CHECK-NEXT: %[[USER:.*]] = graph.cast %{{.*}} : (tensor<2xf32>) -> tensor<2xf16>
// CHECK-NEXT: graph.add %[[F16]], %[[USER]]
// CHECK-LABEL: func.func @m_step
// CHECK-SAME: #graph.state<"w.f16" weight_copy of "w">}) ->
// CHECK-SAME: tensor<2xf16> {graph.updates = "w.f16"}
// CHECK: %[[NEXT:.*]] = graph.sgd
// CHECK: graph.cast %[[NEXT]] because "16-bit copy of 'w'"
// FLY-NOT: #graph.state<"w.f16"
// FLY-NOT: graph.entry = "init"
func.func @m(%w: tensor<2xf32> {graph.parameter = "w", graph.init = #graph.zeros}) -> (tensor<2xf16> {graph.output = "y"}) attributes {graph.entry = "forward"} {
  %0 = graph.cast %w because "matmul runs in f16" : (tensor<2xf32>) -> tensor<2xf16>
  %1 = graph.cast %w : (tensor<2xf32>) -> tensor<2xf16>
  %2 = graph.add %0, %1 : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16>
  return %2 : tensor<2xf16>
}
func.func @m_step(%w: tensor<2xf32> {graph.parameter = "w", graph.init = #graph.zeros}) -> (tensor<2xf16> {graph.output = "y"}, tensor<2xf32> {graph.gradient = "w"})
    attributes {graph.entry = "step", graph.training = #graph.training<precision = "fp16", optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} {
  %0 = graph.cast %w because "matmul runs in f16" : (tensor<2xf32>) -> tensor<2xf16>
  %1 = graph.cast %w : (tensor<2xf32>) -> tensor<2xf16>
  %2 = graph.add %0, %1 : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16>
  %3 = graph.cast %2 : (tensor<2xf16>) -> tensor<2xf32>
  return %2, %3 : tensor<2xf16>, tensor<2xf32>
}
