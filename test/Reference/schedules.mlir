// The interpreter's schedules against the closed forms that PyTorch's
// lr_scheduler publishes, at the edges of warm-up and decay. `step` is the
// number of steps taken, torch's `last_epoch` after the warm-up.
// RUN: bash -c 'for t in 0 1 2 3 9; do graph-eval %s --function=constant --input=step=$t; done' | FileCheck %s --check-prefix=CONSTANT
// RUN: bash -c 'for t in 0 3 4 8 11 12 100; do graph-eval %s --function=linear --input=step=$t; done' | FileCheck %s --check-prefix=LINEAR
// RUN: bash -c 'for t in 0 1 2 4 6 8 10 11; do graph-eval %s --function=cosine --input=step=$t; done' | FileCheck %s --check-prefix=COSINE
// RUN: bash -c 'for t in 0 2 3 5 6 9; do graph-eval %s --function=step --input=step=$t; done' | FileCheck %s --check-prefix=STEP
// RUN: bash -c 'for t in 0 1 2 4 5; do graph-eval %s --function=warm_step --input=step=$t; done' | FileCheck %s --check-prefix=WARM
// RUN: bash -c 'for t in 0 3 4 15 63; do graph-eval %s --function=inverse_sqrt --input=step=$t; done' | FileCheck %s --check-prefix=SQRT
// RUN: bash -c 'for t in 0 3 24; do graph-eval %s --function=cold_sqrt --input=step=$t; done' | FileCheck %s --check-prefix=COLD

// Warm-up of 4: (t + 1) / 4, then the rate.
// CONSTANT: = [0.25]
// CONSTANT-NEXT: = [0.5]
// CONSTANT-NEXT: = [0.75]
// CONSTANT-NEXT: = [1]
// CONSTANT-NEXT: = [1]
func.func @constant(%step: tensor<i32> {graph.input = "step"}) -> tensor<f32> {
  %base = graph.constant dense<1.0> : tensor<f32>
  %lr = graph.lr_schedule %base step %step by <kind = "constant", warmup = 4> : tensor<f32>, tensor<i32>
  return %lr : tensor<f32>
}

// LinearLR(start_factor = 1, end_factor = 0.5, total_iters = 8) after a
// warm-up of 4: at 4, 8, 11 and 12 steps 0, 4, 7 and 8 of it.
// LINEAR: = [0.25]
// LINEAR-NEXT: = [1]
// LINEAR-NEXT: = [1]
// LINEAR-NEXT: = [0.75]
// LINEAR-NEXT: = [0.5625]
// LINEAR-NEXT: = [0.5]
// LINEAR-NEXT: = [0.5]
func.func @linear(%step: tensor<i32> {graph.input = "step"}) -> tensor<f32> {
  %base = graph.constant dense<1.0> : tensor<f32>
  %lr = graph.lr_schedule %base step %step by <kind = "linear", warmup = 4, total = 12, final = 0.5> : tensor<f32>, tensor<i32>
  return %lr : tensor<f32>
}

// CosineAnnealingLR(T_max = 8, eta_min = 1/2) from 1 after a warm-up of 2:
// 1/2 + (1 - 1/2) / 2 * (1 + cos(pi * k / 8)) at k = 0, 2, 4, 6, 8.
// COSINE: = [0.5]
// COSINE-NEXT: = [1]
// COSINE-NEXT: = [1]
// COSINE-NEXT: = [0.9267766952966{{[0-9]*}}]
// COSINE-NEXT: = [0.75]
// COSINE-NEXT: = [0.5732233047033{{[0-9]*}}]
// COSINE-NEXT: = [0.5]
// COSINE-NEXT: = [0.5]
func.func @cosine(%step: tensor<i32> {graph.input = "step"}) -> tensor<f32> {
  %base = graph.constant dense<1.0> : tensor<f32>
  %lr = graph.lr_schedule %base step %step by <kind = "cosine", warmup = 2, total = 10, final = 0.5> : tensor<f32>, tensor<i32>
  return %lr : tensor<f32>
}

// StepLR(step_size = 3, gamma = 0.5).
// STEP: = [1]
// STEP-NEXT: = [1]
// STEP-NEXT: = [0.5]
// STEP-NEXT: = [0.5]
// STEP-NEXT: = [0.25]
// STEP-NEXT: = [0.125]
func.func @step(%step: tensor<i32> {graph.input = "step"}) -> tensor<f32> {
  %base = graph.constant dense<1.0> : tensor<f32>
  %lr = graph.lr_schedule %base step %step by <kind = "step", period = 3, gamma = 0.5> : tensor<f32>, tensor<i32>
  return %lr : tensor<f32>
}

// Periods count from the end of the warm-up, as SequentialLR starts its second
// schedule.
// WARM: = [0.5]
// WARM-NEXT: = [1]
// WARM-NEXT: = [1]
// WARM-NEXT: = [1]
// WARM-NEXT: = [0.5]
func.func @warm_step(%step: tensor<i32> {graph.input = "step"}) -> tensor<f32> {
  %base = graph.constant dense<1.0> : tensor<f32>
  %lr = graph.lr_schedule %base step %step by <kind = "step", warmup = 2, period = 3, gamma = 0.5> : tensor<f32>, tensor<i32>
  return %lr : tensor<f32>
}

// Vaswani et al.: min(s^-1/2, s * w^-3/2) for steps s from 1, over its largest
// value w^-1/2. At s = 1, 4, 5, 16, 64 with w = 4.
// SQRT: = [0.25]
// SQRT-NEXT: = [1]
// SQRT-NEXT: = [0.894427190999{{[0-9]*}}]
// SQRT-NEXT: = [0.5]
// SQRT-NEXT: = [0.25]
func.func @inverse_sqrt(%step: tensor<i32> {graph.input = "step"}) -> tensor<f32> {
  %base = graph.constant dense<1.0> : tensor<f32>
  %lr = graph.lr_schedule %base step %step by <kind = "inverse_sqrt", warmup = 4> : tensor<f32>, tensor<i32>
  return %lr : tensor<f32>
}
// COLD: = [1]
// COLD-NEXT: = [0.5]
// COLD-NEXT: = [0.2]
func.func @cold_sqrt(%step: tensor<i32> {graph.input = "step"}) -> tensor<f32> {
  %base = graph.constant dense<1.0> : tensor<f32>
  %lr = graph.lr_schedule %base step %step by <kind = "inverse_sqrt"> : tensor<f32>, tensor<i32>
  return %lr : tensor<f32>
}
