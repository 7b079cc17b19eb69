// Random bits come from the number of the element, so one thread or several, the
// weights are the same to the bit.
// REQUIRES: numpy
// RUN: mpc-compile %s -o %t.mpcx
// RUN: %numpy -c "import numpy; numpy.save('%t.npy', numpy.random.default_rng(1).normal(0, 1, (32, 300)).astype('f4'))"
// RUN: mpc-run train %t.mpcx --input x=%t.npy --steps 4 --threads 1 --save %t.one
// RUN: mpc-run train %t.mpcx --input x=%t.npy --steps 4 --threads 2 --save %t.two
// RUN: cmp %t.one %t.two
func.func @model(
    %x: tensor<8x300xf32> {graph.input = "x"},
    %w: tensor<300x257xf32> {graph.parameter = "w", graph.init = #graph.normal<0.0, 0.1>})
    -> (tensor<f32> {graph.loss})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "adam", lr = 0.001, master = "bf16_stochastic">>} {
  %0 = graph.matmul %x, %w : (tensor<8x300xf32>, tensor<300x257xf32>) -> tensor<8x257xf32>
  %1 = graph.mul %0, %0 : (tensor<8x257xf32>, tensor<8x257xf32>) -> tensor<8x257xf32>
  %loss = graph.sum %1 dims = [0, 1] : (tensor<8x257xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
