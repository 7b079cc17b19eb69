// Keras loss_scale_optimizer_test: SGD with learning rate 0.5 on variables 1, 2,
// 3, 4, whose gradients are 1, 6, 7, 2 times the scale, gives 0.5, -1, -0.5, 3;
// infinite gradients change nothing, nor does the step count move.
// RUN: mpc-opt %s --compile-to=update --loss-scale=keras -o %t
// RUN: graph-eval %t --rounded --function=m_step --input=a=1 --input=b=2 --input=c=3 --input=d=4 --input=ga=1 --input=gb=6 --input=gc=7 --input=gd=2 | FileCheck %s
// CHECK-DAG: updates a: tensor<f32> = [0.5]
// CHECK-DAG: updates b: tensor<f32> = [-1]
// CHECK-DAG: updates c: tensor<f32> = [-0.5]
// CHECK-DAG: updates d: tensor<f32> = [3]
// CHECK-DAG: updates step: tensor<i32> = [1]
// RUN: graph-eval %t --rounded --function=m_step --input=a=1 --input=b=2 --input=c=3 --input=d=4 --input=ga=inf --input=gb=inf --input=gc=inf --input=gd=inf | FileCheck %s --check-prefix=INF
// INF-DAG: updates a: tensor<f32> = [1]
// INF-DAG: updates b: tensor<f32> = [2]
// INF-DAG: updates c: tensor<f32> = [3]
// INF-DAG: updates d: tensor<f32> = [4]
// INF-DAG: updates step: tensor<i32> = [0]
// INF-DAG: updates scaler.scale: tensor<f32> = [16384]
func.func @m(%ga: tensor<f32> {graph.input = "ga"}, %gb: tensor<f32> {graph.input = "gb"}, %gc: tensor<f32> {graph.input = "gc"}, %gd: tensor<f32> {graph.input = "gd"},
             %a: tensor<f32> {graph.parameter = "a", graph.init = #graph.zeros}, %b: tensor<f32> {graph.parameter = "b", graph.init = #graph.zeros},
             %c: tensor<f32> {graph.parameter = "c", graph.init = #graph.zeros}, %d: tensor<f32> {graph.parameter = "d", graph.init = #graph.zeros})
    -> (tensor<f32> {graph.loss}) attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.5>>} {
  %0 = graph.mul %ga, %a : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %1 = graph.mul %gb, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %2 = graph.mul %gc, %c : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %3 = graph.mul %gd, %d : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %4 = graph.add %0, %1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %5 = graph.add %2, %3 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %6 = graph.add %4, %5 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %6 : tensor<f32>
}
