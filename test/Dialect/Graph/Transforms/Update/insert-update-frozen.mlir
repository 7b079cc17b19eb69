// A frozen parameter is in no bucket, sum, check, norm, group or optimizer: it
// has no other state than a copy in 16 bits, which its casts read and `init`
// makes.
// RUN: mpc-opt %s --compile-to=update 2>/dev/null | FileCheck %s
// RUN: mpc-opt %s --compile-to=update --accumulate=4 2>/dev/null | FileCheck %s --check-prefixes=CHECK,SUMS

// CHECK-LABEL: func.func @model_init(
// CHECK: graph.updates = "f.bf16"
// SUMS-LABEL: func.func @model_accumulate(
// SUMS-NOT: accumulator of "f"
// SUMS-NOT: of "u"
// CHECK-LABEL: func.func @model_step(
// CHECK-SAME: tensor<8x4xf32> {graph.frozen, {{[^}]*}}graph.parameter = "f"}
// CHECK-SAME: tensor<5xf32> {graph.frozen, {{[^}]*}}graph.parameter = "u"}
// CHECK-SAME: moment of "w"
// CHECK-SAME: %[[COPY:[a-z0-9]+]]: tensor<8x4xbf16> {graph.state = #graph.state<"f.bf16" weight_copy of "f">}
// CHECK-SAME: ) -> (
// CHECK-NOT: graph.updates = "f
// CHECK-NOT: graph.updates = "u
// CHECK-NOT: late.step
// CHECK: graph.matmul %{{.*}}, %[[COPY]]
// CHECK-COUNT-1: graph.all_reduce
// CHECK-SAME: (tensor<4x2xf32>) -> tensor<4x2xf32>
// CHECK: graph.global_norm %{{[0-9a-z_#]+}} :
// CHECK-COUNT-1: graph.adamw
// CHECK-NOT: graph.adamw
func.func @model(%x: tensor<2x8xf32> {graph.input = "x"}, %f: tensor<8x4xf32> {graph.parameter = "f", graph.init = #graph.normal<0.0, 0.1>, graph.frozen},
                 %w: tensor<4x2xf32> {graph.parameter = "w", graph.init = #graph.normal<0.0, 0.1>}, %u: tensor<5xf32> {graph.parameter = "u", graph.init = #graph.zeros})
    -> (tensor<f32> {graph.loss}, tensor<5xf32> {graph.output = "y"})
    attributes {graph.training = #graph.training<
      precision = "bf16", loss_scale = #graph.loss_scale<mode = "dynamic">, clip = #graph.clip<norm = 1.0>,
      optimizer = #graph.optimizer<name = "adamw", lr = 0.1, weight_decay = 0.1>,
      groups = [#graph.parameter_group<name = "late", pattern = "u", optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>]>} {
  %0 = graph.matmul %x, %f : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
  %1 = graph.matmul %0, %w : (tensor<2x4xf32>, tensor<4x2xf32>) -> tensor<2x2xf32>
  %2 = graph.cast %1 : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %loss = graph.mean %2 dims = [0, 1] : (tensor<2x2xf32>) -> tensor<f32>
  %y = graph.exp %u : tensor<5xf32>
  return %loss, %y : tensor<f32>, tensor<5xf32>
}
