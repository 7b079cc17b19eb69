// A skipped step leaves every bit of a 16-bit parameter and of its compensation,
// also where the sum of both, 1.0078125 + 2^-8, is half way to the next number of
// bf16 and would round away to 1.015625.
// RUN: mpc-opt %s --compile-to=simplify --master=bf16_kahan -o %t.kahan.mlir
// RUN: graph-eval %t.kahan.mlir --function=model_step --rounded --input=x=inf --input=w=1.0078125 --input=w.compensation=0.00390625 | FileCheck %s --check-prefixes=SKIP,KAHAN
// RUN: mpc-opt %s --compile-to=simplify --master=bf16_stochastic | graph-eval - --function=model_step --rounded --input=x=inf --input=w=1.0078125 | FileCheck %s --check-prefix=SKIP
// RUN: mpc-opt %s --compile-to=simplify --master=bf16 | graph-eval - --function=model_step --rounded --input=x=inf --input=w=1.0078125 | FileCheck %s --check-prefix=SKIP
// SKIP-DAG: output found_inf: tensor<i1> = [1]
// SKIP-DAG: updates w: tensor<2xbf16> = [1.0078125, 1.0078125]
// KAHAN-DAG: updates w.compensation: tensor<2xbf16> = [0.00390625, 0.00390625]

// One that is taken: the update of -lr * x = 0 pays the compensation out.
// RUN: graph-eval %t.kahan.mlir --function=model_step --rounded --input=x=0 --input=w=1.0078125 --input=w.compensation=0.00390625 | FileCheck %s --check-prefix=TAKEN
// TAKEN-DAG: output found_inf: tensor<i1> = [0]
// TAKEN-DAG: updates w: tensor<2xbf16> = [1.015625, 1.015625]
// TAKEN-DAG: updates w.compensation: tensor<2xbf16> = [-0.00390625, -0.00390625]
func.func @model(%x: tensor<2xf32> {graph.input = "x"}, %w: tensor<2xf32> {graph.init = #graph.zeros, graph.parameter = "w"})
    -> (tensor<f32> {graph.loss})
    attributes {graph.training = #graph.training<loss_scale = #graph.loss_scale<mode = "dynamic", init = 8.0>, optimizer = #graph.optimizer<name = "sgd", lr = 0.5>>} {
  %0 = graph.mul %x, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %loss = graph.sum %0 dims = [0] : (tensor<2xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
