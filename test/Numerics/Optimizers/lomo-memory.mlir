// LOMO keeps no gradient: of four layers with gradients of 262,144 bytes each, SGD
// that clips holds all four (1,048,576) when the norm is known, LOMO one at a time;
// what remains beside it is less than 64 KiB of activations.
// RUN: mpc-opt %s --compile-to=exec --reduce=none --optimizer=sgd --clip-norm=1 | FileCheck %s --check-prefix=SGD
// RUN: mpc-opt %s --compile-to=exec --reduce=none --optimizer=lomo | FileCheck %s --check-prefix=LOMO
// RUN: mpc-opt %s --compile-to=exec --reduce=none --optimizer=lomo --target=cuda | FileCheck %s --check-prefix=LOMO
// SGD: exec.entry @step{{.*}}arena = {{10[4-9][0-9][0-9][0-9][0-9]}} {
// LOMO: exec.entry @step{{.*}}arena = {{(26[2-9]|2[7-9][0-9]|3[0-2][0-9])[0-9][0-9][0-9]}} {
func.func @mlp(%x: tensor<8x256xf32> {graph.input = "x"}, %w0: tensor<256x256xf32> {graph.parameter = "w0", graph.init = #graph.normal<0.0, 0.05>}, %w1: tensor<256x256xf32> {graph.parameter = "w1", graph.init = #graph.normal<0.0, 0.05>}, %w2: tensor<256x256xf32> {graph.parameter = "w2", graph.init = #graph.normal<0.0, 0.05>}, %w3: tensor<256x256xf32> {graph.parameter = "w3", graph.init = #graph.normal<0.0, 0.05>})
    -> (tensor<f32> {graph.loss})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.05>>} {
  %m0 = graph.matmul %x, %w0 : (tensor<8x256xf32>, tensor<256x256xf32>) -> tensor<8x256xf32>
  %h0 = graph.tanh %m0 : tensor<8x256xf32>
  %m1 = graph.matmul %h0, %w1 : (tensor<8x256xf32>, tensor<256x256xf32>) -> tensor<8x256xf32>
  %h1 = graph.tanh %m1 : tensor<8x256xf32>
  %m2 = graph.matmul %h1, %w2 : (tensor<8x256xf32>, tensor<256x256xf32>) -> tensor<8x256xf32>
  %h2 = graph.tanh %m2 : tensor<8x256xf32>
  %m3 = graph.matmul %h2, %w3 : (tensor<8x256xf32>, tensor<256x256xf32>) -> tensor<8x256xf32>
  %h3 = graph.tanh %m3 : tensor<8x256xf32>
  %s = graph.mul %h3, %h3 : (tensor<8x256xf32>, tensor<8x256xf32>) -> tensor<8x256xf32>
  %loss = graph.sum %s dims = [0, 1] : (tensor<8x256xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
