// Masked attention: 3 samples, 7 tokens, 2 heads of 5; Nesterov, clipping.
// RUN: %compare
// RUN: %compare --error-rule --steps=1 -- --precision=fp16 --loss-scale=256
// RUN: %compare --error-rule --steps=1 -- --precision=bf16 --autocast=torch --rounding=strict --loss-scale=dynamic
// RUN: %compare --error-rule --steps=1 -- --profile=tf-fp16 --loss-scale=256
// RUN: %compare --error-rule --steps=1 -- --profile=apex-O2 --loss-scale=256
// RUN: %compare --error-rule --steps=1 -- --profile=mixed_bfloat16
func.func @attention(
    %x: tensor<3x7x10xf32> {graph.input = "x"},
    %target: tensor<3x7x10xf32> {graph.input = "target"},
    %mask: tensor<7x7xi1> {graph.input = "mask"},
    %wq: tensor<10x10xf32> {graph.parameter = "wq", graph.init = #graph.normal<0.0, 0.3>},
    %wk: tensor<10x10xf32> {graph.parameter = "wk", graph.init = #graph.normal<0.0, 0.3>},
    %wv: tensor<10x10xf32> {graph.parameter = "wv", graph.init = #graph.normal<0.0, 0.3>},
    %wo: tensor<10x10xf32> {graph.parameter = "wo", graph.init = #graph.normal<0.0, 0.3>},
    %g: tensor<10xf32> {graph.parameter = "g", graph.init = #graph.fill<1.0>})
    -> (tensor<f32> {graph.loss}, tensor<3x7x10xf32> {graph.output = "y"}, tensor<3x2x7x7xf32> {graph.output = "weights"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1, momentum = 0.9, nesterov = true>, clip = #graph.clip<norm = 0.05>>} {
  %n = graph.layer_norm %x weight %g first_dim = 2 : (tensor<3x7x10xf32>, tensor<10xf32>) -> tensor<3x7x10xf32>
  %q0 = graph.matmul %n, %wq : (tensor<3x7x10xf32>, tensor<10x10xf32>) -> tensor<3x7x10xf32>
  %k0 = graph.matmul %n, %wk : (tensor<3x7x10xf32>, tensor<10x10xf32>) -> tensor<3x7x10xf32>
  %v0 = graph.matmul %n, %wv transpose_rhs : (tensor<3x7x10xf32>, tensor<10x10xf32>) -> tensor<3x7x10xf32>
  %q1 = graph.reshape %q0 : (tensor<3x7x10xf32>) -> tensor<3x7x2x5xf32>
  %k1 = graph.reshape %k0 : (tensor<3x7x10xf32>) -> tensor<3x7x2x5xf32>
  %v1 = graph.reshape %v0 : (tensor<3x7x10xf32>) -> tensor<3x7x2x5xf32>
  %q = graph.transpose %q1 permutation = [0, 2, 1, 3] : (tensor<3x7x2x5xf32>) -> tensor<3x2x7x5xf32>
  %k = graph.transpose %k1 permutation = [0, 2, 3, 1] : (tensor<3x7x2x5xf32>) -> tensor<3x2x5x7xf32>
  %v = graph.transpose %v1 permutation = [0, 2, 1, 3] : (tensor<3x7x2x5xf32>) -> tensor<3x2x7x5xf32>
  %s0 = graph.matmul %q, %k : (tensor<3x2x7x5xf32>, tensor<3x2x5x7xf32>) -> tensor<3x2x7x7xf32>
  %c = graph.constant dense<0.4472136> : tensor<f32>
  %s1 = graph.mul %s0, %c : (tensor<3x2x7x7xf32>, tensor<f32>) -> tensor<3x2x7x7xf32>
  %minus = graph.constant dense<-1.0e4> : tensor<f32>
  %s2 = graph.select %mask, %s1, %minus : (tensor<7x7xi1>, tensor<3x2x7x7xf32>, tensor<f32>) -> tensor<3x2x7x7xf32>
  %p = graph.softmax %s2 dim = 3 : (tensor<3x2x7x7xf32>) -> tensor<3x2x7x7xf32>
  %o0 = graph.matmul %p, %v : (tensor<3x2x7x7xf32>, tensor<3x2x7x5xf32>) -> tensor<3x2x7x5xf32>
  %o1 = graph.transpose %o0 permutation = [0, 2, 1, 3] : (tensor<3x2x7x5xf32>) -> tensor<3x7x2x5xf32>
  %o2 = graph.reshape %o1 : (tensor<3x7x2x5xf32>) -> tensor<3x7x10xf32>
  %o3 = graph.matmul %o2, %wo : (tensor<3x7x10xf32>, tensor<10x10xf32>) -> tensor<3x7x10xf32>
  %y = graph.add %o3, %x : (tensor<3x7x10xf32>, tensor<3x7x10xf32>) -> tensor<3x7x10xf32>
  %loss = graph.mse %y, %target reduction = <sum> : (tensor<3x7x10xf32>, tensor<3x7x10xf32>) -> tensor<f32>
  return %loss, %y, %p : tensor<f32>, tensor<3x7x10xf32>, tensor<3x2x7x7xf32>
}
