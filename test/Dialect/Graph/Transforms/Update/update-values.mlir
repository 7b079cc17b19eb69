// The arithmetic of a step, by hand: the loss is sum(x * w), so the gradient is
// x whatever w is.
//
// AdamW at effective step 2 from zero moments, g = 3: exp_avg = 0.3 and
// exp_avg_sq = 0.009; corrected 0.3 / 0.19 and 0.009 / 0.001999; the update is
// 0.1 * 0.744136831... So the optimizer sees step + 1.
// RUN: mpc-opt %s --compile-to=update | graph-eval - --function=linear_step --input=x=3 --input=w=0.5 --input=step=1 --input=scaler.growth_tracker=7 | FileCheck %s --check-prefix=ADAMW
// ADAMW-DAG: updates step: tensor<i32> = [2]
// ADAMW-DAG: updates w: tensor<2xf32> = [0.425586316{{[0-9]*}}, 0.425586316{{[0-9]*}}]
// ADAMW-DAG: updates scaler.growth_tracker: tensor<i32> = [8]
//
// An infinite gradient: every state keeps its value, the scale halves, the
// tracker starts again, the skip is counted.
// RUN: mpc-opt %s --compile-to=update --precision=fp16 --policy=graph.mul=Allow | graph-eval - --function=linear_step --input=x=inf --input=w=0.25 --input=w.exp_avg=0.125 --input=w.exp_avg_sq=0.0625 --input=step=5 --input=skipped=2 --input=consecutive_skips=1 | FileCheck %s --check-prefix=SKIP
// SKIP-DAG: output found_inf: tensor<i1> = [1]
// SKIP-DAG: output scale: tensor<f32> = [65536]
// SKIP-DAG: updates w: tensor<2xf32> = [0.25, 0.25]
// SKIP-DAG: updates w.exp_avg: tensor<2xf32> = [0.125, 0.125]
// SKIP-DAG: updates w.exp_avg_sq: tensor<2xf32> = [0.0625, 0.0625]
// SKIP-DAG: updates w.f16: tensor<2xf16> = [0.25, 0.25]
// SKIP-DAG: updates step: tensor<i32> = [5]
// SKIP-DAG: updates skipped: tensor<i32> = [3]
// SKIP-DAG: updates consecutive_skips: tensor<i32> = [2]
// SKIP-DAG: updates scaler.scale: tensor<f32> = [32768]
// SKIP-DAG: updates scaler.growth_tracker: tensor<i32> = [0]
//
// Clip: norm 4 * sqrt(2) = 5.656854249, coefficient 1 / 5.656855249, gradient
// 0.707106656, update 0.1 of it. grad_norm is the norm before clipping.
// RUN: mpc-opt %s --compile-to=update --clip-norm=1 --optimizer=sgd --momentum=0.5 | graph-eval - --function=linear_step --input=x=4 --input=w=0.25 | FileCheck %s --check-prefix=CLIP
// CLIP-DAG: output grad_norm: tensor<f32> = [5.656854249{{[0-9]*}}]
// CLIP-DAG: updates w.momentum_buffer: tensor<2xf32> = [0.707106656{{[0-9]*}}, 0.707106656{{[0-9]*}}]
// CLIP-DAG: updates w: tensor<2xf32> = [0.179289333{{[0-9]*}}, 0.179289333{{[0-9]*}}]
//
// A norm within the bound is not clipped.
// RUN: mpc-opt %s --compile-to=update --clip-norm=100 --optimizer=sgd --lr=0.125 | graph-eval - --function=linear_step --input=x=4 --input=w=1 | FileCheck %s --check-prefix=UNCLIPPED
// UNCLIPPED-DAG: updates w: tensor<2xf32> = [0.5, 0.5]
//
// Scaling by a power of two changes no next parameter, in f32.
// RUN: mpc-opt %s --compile-to=update | graph-eval - --rounded --function=linear_step | grep "updates w" > %t.scaled
// RUN: mpc-opt %s --compile-to=update --loss-scale=none | graph-eval - --rounded --function=linear_step | grep "updates w" > %t.plain
// RUN: diff %t.scaled %t.plain
//
// The scaler grows at the interval: tracker 6 of 7, as GradScaler does.
// RUN: mpc-opt %s --compile-to=update --scale-interval=7 --scale-growth=4 | graph-eval - --function=linear_step --input=scaler.growth_tracker=6 | FileCheck %s --check-prefix=GROW
// GROW-DAG: updates scaler.scale: tensor<f32> = [262144]
// GROW-DAG: updates scaler.growth_tracker: tensor<i32> = [0]
func.func @linear(%x: tensor<2xf32> {graph.input = "x"}, %w: tensor<2xf32> {graph.parameter = "w", graph.init = #graph.zeros})
    -> (tensor<f32> {graph.loss})
    attributes {graph.training = #graph.training<loss_scale = #graph.loss_scale<mode = "dynamic">, optimizer = #graph.optimizer<name = "adamw", lr = 0.1>>} {
  %p = graph.mul %x, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %l = graph.sum %p dims = [0] : (tensor<2xf32>) -> tensor<f32>
  return %l : tensor<f32>
}
