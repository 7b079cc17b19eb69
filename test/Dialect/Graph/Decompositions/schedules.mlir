// Schedules as elementwise ops yield what their formulas say, at every step
// around the edges of warm-up and decay.
// RUN: mpc-opt %s --mpc-decompose -o %t.mlir
// RUN: not grep "graph.lr_schedule" %t.mlir
// RUN: bash -c 'for t in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 99 1000000; do graph-eval %t.mlir --function=all --compare=%s --input=step=$t --input=base=0.1 --rtol=1e-12 --atol=1e-15 || exit 1; done'
// At its last step and after it a schedule is what it ends with, to the bit;
// the step before is right in all its digits: (pi / 2 * 1e-6)^2.
// RUN: bash -c 'for t in 1000000 1000001; do graph-eval %t.mlir --function=ends --input=step=$t; done' | FileCheck %s --check-prefix=ENDS
// ENDS: = [0]
// ENDS-NEXT: = [0]
// ENDS-NEXT: = [0.1]
// ENDS-NEXT: = [0.1]
// ENDS-NEXT: = [0.7]
// ENDS-NEXT: = [0]
// ENDS-NEXT: = [0]
// ENDS-NEXT: = [0.1]
// ENDS-NEXT: = [0.1]
// ENDS-NEXT: = [0.7]
// ENDS-NOT: {{.}}
// RUN: graph-eval %t.mlir --function=ends --input=step=999999 | FileCheck %s --check-prefix=BEFORE
// BEFORE: = [2.46740110027{{[0-9]*}}e-12]
func.func @ends(%step: tensor<i32> {graph.input = "step"}) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %one = graph.constant dense<1.0> : tensor<f32>
  %0 = graph.lr_schedule %one step %step by <kind = "cosine", total = 1000000> : tensor<f32>, tensor<i32>
  %1 = graph.lr_schedule %one step %step by <kind = "cosine", warmup = 7, total = 999983> : tensor<f32>, tensor<i32>
  %2 = graph.lr_schedule %one step %step by <kind = "cosine", total = 3, final = 0.1> : tensor<f32>, tensor<i32>
  %3 = graph.lr_schedule %one step %step by <kind = "linear", total = 1000000, final = 0.1> : tensor<f32>, tensor<i32>
  %4 = graph.lr_schedule %one step %step by <kind = "linear", warmup = 3, total = 77, final = 0.7> : tensor<f32>, tensor<i32>
  return %0, %1, %2, %3, %4 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}

func.func @all(%base: tensor<f32> {graph.input = "base"}, %step: tensor<i32> {graph.input = "step"}) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %0 = graph.lr_schedule %base step %step by <kind = "constant", warmup = 3> : tensor<f32>, tensor<i32>
  %1 = graph.lr_schedule %base step %step by <kind = "linear", total = 7, final = 0.25> : tensor<f32>, tensor<i32>
  %2 = graph.lr_schedule %base step %step by <kind = "linear", warmup = 4, total = 12> : tensor<f32>, tensor<i32>
  %3 = graph.lr_schedule %base step %step by <kind = "cosine", total = 13, final = 0.1> : tensor<f32>, tensor<i32>
  %4 = graph.lr_schedule %base step %step by <kind = "cosine", warmup = 5, total = 11> : tensor<f32>, tensor<i32>
  %5 = graph.lr_schedule %base step %step by <kind = "step", warmup = 1, period = 3, gamma = 0.9> : tensor<f32>, tensor<i32>
  %6 = graph.lr_schedule %base step %step by <kind = "inverse_sqrt", warmup = 6> : tensor<f32>, tensor<i32>
  %7 = graph.lr_schedule %base step %step by <kind = "inverse_sqrt"> : tensor<f32>, tensor<i32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}
