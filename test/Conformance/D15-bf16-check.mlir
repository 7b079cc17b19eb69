// DeepSpeed test_zero_optim_overflow: bf16 with check_grad_overflow skips steps
// of infinite gradients and counts them, without it applies them. Here the check
// alone is a static scale of 1.
// RUN: mpc-opt %s --compile-to=update --precision=bf16 --loss-scale=1 -o %t
// RUN: graph-eval %t --rounded --function=m_step --input=x=inf --input=w=0.5 --input=skipped=3 | FileCheck %s --check-prefix=CHECKED
// CHECKED-DAG: output found_inf: tensor<i1> = [1]
// CHECKED-DAG: updates w: tensor<f32> = [0.5]
// CHECKED-DAG: updates skipped: tensor<i32> = [4]
// RUN: mpc-opt %s --compile-to=update --precision=bf16 --loss-scale=none | graph-eval - --rounded --function=m_step --input=x=inf --input=w=0.5 | FileCheck %s --check-prefix=UNCHECKED
// UNCHECKED-NOT: skipped
// UNCHECKED: updates w: tensor<f32> = [-inf]
func.func @m(%x: tensor<f32> {graph.input = "x"}, %w: tensor<f32> {graph.parameter = "w", graph.init = #graph.zeros})
    -> (tensor<f32> {graph.loss}) attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.5>>} {
  %0 = graph.mul %x, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
