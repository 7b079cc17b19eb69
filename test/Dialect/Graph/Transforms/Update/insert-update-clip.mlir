// What each way of clipping is made of; test/Conformance/Update has its numbers.
// RUN: mpc-opt %s --mpc-insert-update="clip-norm=2 clip-formula=optax" --mpc-verify-update | FileCheck %s --check-prefix=OPTAX
// RUN: mpc-opt %s --mpc-insert-update="clip-norm=2 clip-formula=megatron clip-norm-type=inf" --mpc-verify-update | FileCheck %s --check-prefix=MEGATRON
// RUN: mpc-opt %s --mpc-insert-update="clip-norm=2 clip-value=3" --mpc-verify-update | FileCheck %s --check-prefix=BOTH
// RUN: mpc-opt %s --mpc-insert-update="clip-nonfinite=error" --mpc-verify-update | FileCheck %s --check-prefix=ERROR
// RUN: mpc-opt %s --mpc-insert-update="schedule=cosine warmup-steps=3 total-steps=9 final-factor=0.1" --mpc-verify-update | FileCheck %s --check-prefix=SCHEDULE

// OPTAX: %[[N:.*]] = graph.global_norm %[[G:.*]] : (tensor<2xf32>) -> tensor<f32>
// OPTAX: %[[IN:.*]] = graph.compare <lt> %[[N]], %[[M:.*]] :
// OPTAX: %[[D:.*]] = graph.div %[[G]], %[[N]]
// OPTAX: %[[C:.*]] = graph.mul %[[D]], %[[M]]
// OPTAX: %[[K:.*]] = graph.select %[[IN]], %[[G]], %[[C]]
// OPTAX: graph.sgd %{{.*}}, %[[K]]

// MEGATRON: %[[N:.*]] = graph.global_norm %[[G:.*]] norm_type = inf
// MEGATRON: %[[R:.*]] = graph.div
// MEGATRON: %[[BELOW:.*]] = graph.compare <lt> %[[R]], %[[ONE:.*]] :
// MEGATRON: %[[C:.*]] = graph.select %[[BELOW]], %[[R]], %[[ONE]]
// MEGATRON: graph.mul %[[G]], %[[C]]

// BOTH: graph.global_norm
// BOTH: %[[C:.*]] = graph.mul
// BOTH: %[[LOW:.*]] = graph.maximum %[[C]]
// BOTH: %[[HIGH:.*]] = graph.minimum %[[LOW]]
// BOTH: graph.sgd %{{.*}}, %[[HIGH]]

// Without a scaler the norm alone decides; parameter and step stay.
// ERROR-LABEL: func.func @m_step
// ERROR-SAME: tensor<i1> {graph.output = "nonfinite_grad"}
// ERROR: %[[N:.*]] = graph.global_norm
// ERROR: %[[FINITE:.*]] = graph.compare <lt> %[[N]]
// ERROR: %[[BAD:.*]] = graph.select %[[FINITE]]
// ERROR: graph.select %[[BAD]], %{{.*}} : (tensor<i1>, tensor<i32>, tensor<i32>)
// ERROR: graph.select %[[BAD]], %{{.*}} : (tensor<i1>, tensor<2xf32>, tensor<2xf32>)

// SCHEDULE-LABEL: func.func @m_step
// SCHEDULE-SAME: %[[STEP:[a-z0-9]+]]: tensor<i32> {graph.state = #graph.state<"step" step_counter init #graph.zeros>}
// SCHEDULE-SAME: %[[BASE:[a-z0-9]+]]: tensor<f32> {graph.state = #graph.state<"optimizer.lr" learning_rate init #graph.fill<0.1>>}
// SCHEDULE: %[[LR:.*]] = graph.lr_schedule %[[BASE]] step %[[STEP]] by <kind = "cosine", warmup = 3, total = 9, final = 0.1>
// SCHEDULE: graph.sgd %{{.*}} lr %[[LR]]
// SCHEDULE: return %{{.*}}, %[[LR]],
func.func @m_step(%w: tensor<2xf32> {graph.parameter = "w"}, %g: tensor<2xf32> {graph.input = "g"}) -> (tensor<f32> {graph.loss}, tensor<2xf32> {graph.gradient = "w"})
    attributes {graph.entry = "step", graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} {
  %l = graph.sum %w dims = [0] : (tensor<2xf32>) -> tensor<f32>
  return %l, %g : tensor<f32>, tensor<2xf32>
}
