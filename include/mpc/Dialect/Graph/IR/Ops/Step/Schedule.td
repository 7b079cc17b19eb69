// Family Schedule: hyperparameters as functions of the number of steps taken.
#ifndef MPC_DIALECT_GRAPH_IR_OPS_STEP_SCHEDULE_TD
#define MPC_DIALECT_GRAPH_IR_OPS_STEP_SCHEDULE_TD

include "mpc/Dialect/Graph/IR/Ops/OpBase.td"
include "mpc/Dialect/Graph/IR/TrainingAttrs.td"

def Graph_LrScheduleOp : Graph_Op<"lr_schedule", Deny, Unlisted, NoGradient,
                                  [Composite, AllTypesMatch<["base_lr", "lr"]>,
                                   Graph_NamesResults]> {
  let summary = "learning rate of the next step";
  let description = [{
    The base rate times a factor of the steps that were taken: `step` is 0 for
    the first one, and a skipped step does not advance it. With t = step, w =
    warmup and p = min(1, (t - w) / (total - w)), the factor f is (t + 1) / w
    while t < w, so that the first step moves already and step w has the full
    rate. Then it is, by kind,

    - constant: 1
    - linear: 1 + (final - 1) * p, PyTorch's LinearLR
    - cosine: final + (1 - final) * (1 + cos(pi * p)) / 2, PyTorch's
      CosineAnnealingLR (Loshchilov and Hutter, 2017); it stays at `final`
    - step: gamma^floor((t - w) / period), PyTorch's StepLR
    - inverse_sqrt: sqrt(max(w, 1) / (t + 1)) (Vaswani et al., 2017)

    Computed in f64.

    `lr = base_lr * f(step)`

    - C1: both rates have one type

    ```mlir
    %lr = graph.lr_schedule %base_lr step %step by <kind = "cosine", warmup = 100, total = 1000> : tensor<f32>, tensor<i32>
    ```
  }];
  let arguments = (ins Graph_F32Scalar:$base_lr, Graph_I32Scalar:$step,
                       Graph_ScheduleAttr:$schedule);
  let results = (outs Graph_F32Scalar:$lr);
  let syntax = [{
    $base_lr `step` $step `by` $schedule attr-dict `:` type($base_lr) `,` type($step)
  }];
}

#endif // MPC_DIALECT_GRAPH_IR_OPS_STEP_SCHEDULE_TD
