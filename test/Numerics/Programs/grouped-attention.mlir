// Attention as one op: causal heads out of one packed projection; grouped heads
// in a window, bounded, with an additive mask that is learned; other keys than
// queries, of which some queries see none.
// RUN: %compare
// RUN: %compare --error-rule --steps=1 -- --precision=fp16 --loss-scale=256
// RUN: %compare --error-rule --steps=1 -- --precision=bf16 --autocast=torch --rounding=strict --loss-scale=dynamic
// RUN: %compare --error-rule --steps=1 -- --profile=apex-O2 --loss-scale=256
func.func @grouped_attention(
    %x: tensor<3x7x12xf32> {graph.input = "x"},
    %memory: tensor<3x5x12xf32> {graph.input = "memory"},
    %target: tensor<3x7x12xf32> {graph.input = "target"},
    %mask: tensor<3x1x7x5xi1> {graph.input = "mask"},
    %w1: tensor<12x36xf32> {graph.parameter = "w1", graph.init = #graph.normal<0.0, 0.3>},
    %wq: tensor<12x12xf32> {graph.parameter = "wq", graph.init = #graph.normal<0.0, 0.3>},
    %wk: tensor<12x6xf32> {graph.parameter = "wk", graph.init = #graph.normal<0.0, 0.3>},
    %wv: tensor<12x10xf32> {graph.parameter = "wv", graph.init = #graph.normal<0.0, 0.3>},
    %bias: tensor<4x7x7xf32> {graph.parameter = "bias", graph.init = #graph.normal<0.0, 0.5>},
    %wo: tensor<20x12xf32> {graph.parameter = "wo", graph.init = #graph.normal<0.0, 0.3>},
    %wm: tensor<12x24xf32> {graph.parameter = "wm", graph.init = #graph.normal<0.0, 0.3>})
    -> (tensor<f32> {graph.loss}, tensor<3x7x12xf32> {graph.output = "y"}, tensor<3x3x7xf32> {graph.output = "logsumexp"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1>, clip = #graph.clip<norm = 0.05>>} {
  %p0 = graph.matmul %x, %w1 : (tensor<3x7x12xf32>, tensor<12x36xf32>) -> tensor<3x7x36xf32>
  %p = graph.reshape %p0 : (tensor<3x7x36xf32>) -> tensor<3x7x9x4xf32>
  %q = graph.slice %p offsets = [0, 0, 0, 0] sizes = [3, 7, 3, 4] : (tensor<3x7x9x4xf32>) -> tensor<3x7x3x4xf32>
  %k = graph.slice %p offsets = [0, 0, 3, 0] sizes = [3, 7, 3, 4] : (tensor<3x7x9x4xf32>) -> tensor<3x7x3x4xf32>
  %v = graph.slice %p offsets = [0, 0, 6, 0] sizes = [3, 7, 3, 4] : (tensor<3x7x9x4xf32>) -> tensor<3x7x3x4xf32>
  %a, %lse = graph.scaled_dot_product_attention %q, %k, %v causal : (tensor<3x7x3x4xf32>, tensor<3x7x3x4xf32>, tensor<3x7x3x4xf32>) -> (tensor<3x7x3x4xf32>, tensor<3x3x7xf32>)
  %h0 = graph.reshape %a : (tensor<3x7x3x4xf32>) -> tensor<3x7x12xf32>
  %h = graph.add %h0, %x : (tensor<3x7x12xf32>, tensor<3x7x12xf32>) -> tensor<3x7x12xf32>

  %gq0 = graph.matmul %h, %wq : (tensor<3x7x12xf32>, tensor<12x12xf32>) -> tensor<3x7x12xf32>
  %gk0 = graph.matmul %h, %wk : (tensor<3x7x12xf32>, tensor<12x6xf32>) -> tensor<3x7x6xf32>
  %gv0 = graph.matmul %h, %wv : (tensor<3x7x12xf32>, tensor<12x10xf32>) -> tensor<3x7x10xf32>
  %gq = graph.reshape %gq0 : (tensor<3x7x12xf32>) -> tensor<3x7x4x3xf32>
  %gk = graph.reshape %gk0 : (tensor<3x7x6xf32>) -> tensor<3x7x2x3xf32>
  %gv = graph.reshape %gv0 : (tensor<3x7x10xf32>) -> tensor<3x7x2x5xf32>
  %g, %unused = graph.scaled_dot_product_attention %gq, %gk, %gv mask %bias causal window = 3 scale = 0.8 softcap = 2.0 : (tensor<3x7x4x3xf32>, tensor<3x7x2x3xf32>, tensor<3x7x2x5xf32>, tensor<4x7x7xf32>) -> (tensor<3x7x4x5xf32>, tensor<3x4x7xf32>)
  %g0 = graph.reshape %g : (tensor<3x7x4x5xf32>) -> tensor<3x7x20xf32>
  %g1 = graph.matmul %g0, %wo : (tensor<3x7x20xf32>, tensor<20x12xf32>) -> tensor<3x7x12xf32>

  %kv0 = graph.matmul %memory, %wm : (tensor<3x5x12xf32>, tensor<12x24xf32>) -> tensor<3x5x24xf32>
  %kv = graph.reshape %kv0 : (tensor<3x5x24xf32>) -> tensor<3x5x4x6xf32>
  %ck = graph.slice %kv offsets = [0, 0, 0, 0] sizes = [3, 5, 2, 6] : (tensor<3x5x4x6xf32>) -> tensor<3x5x2x6xf32>
  %cv = graph.slice %kv offsets = [0, 0, 2, 0] sizes = [3, 5, 2, 6] : (tensor<3x5x4x6xf32>) -> tensor<3x5x2x6xf32>
  %cq = graph.reshape %g1 : (tensor<3x7x12xf32>) -> tensor<3x7x2x6xf32>
  %c, %unused_1 = graph.scaled_dot_product_attention %cq, %ck, %cv mask %mask window = 3 : (tensor<3x7x2x6xf32>, tensor<3x5x2x6xf32>, tensor<3x5x2x6xf32>, tensor<3x1x7x5xi1>) -> (tensor<3x7x2x6xf32>, tensor<3x2x7xf32>)
  %c0 = graph.reshape %c : (tensor<3x7x2x6xf32>) -> tensor<3x7x12xf32>
  %y = graph.add %c0, %h : (tensor<3x7x12xf32>, tensor<3x7x12xf32>) -> tensor<3x7x12xf32>
  %loss = graph.mse %y, %target reduction = <sum> : (tensor<3x7x12xf32>, tensor<3x7x12xf32>) -> tensor<f32>
  return %loss, %y, %lse : tensor<f32>, tensor<3x7x12xf32>, tensor<3x3x7xf32>
}
