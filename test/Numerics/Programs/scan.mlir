// Scans of a model's own: back and forth, with products, a normalization, elements of
// a step away and a weight that is read in every step; what is carried is read at
// the end, and of the second one as a sequence, too.
// RUN: %compare
// RUN: %compare --error-rule --steps=1 -- --precision=fp16 --loss-scale=256
func.func @scans(%x: tensor<5x4x8xf32> {graph.input = "x"}, %target: tensor<4x8xf32> {graph.input = "target"},
    %w: tensor<8x8xf32> {graph.parameter = "w", graph.init = #graph.normal<0.0, 0.3>},
    %v: tensor<8x8xf32> {graph.parameter = "v", graph.init = #graph.normal<0.0, 0.3>},
    %s: tensor<8xf32> {graph.parameter = "s", graph.init = #graph.fill<1.0>},
    %first: tensor<4x8xf32> {graph.parameter = "first", graph.init = #graph.normal<0.0, 0.3>})
    -> (tensor<f32> {graph.loss}, tensor<4x8xf32> {graph.output = "y"}, tensor<5x4x8xf32> {graph.output = "all"},
        tensor<4x8xf32> {graph.output = "last"})
    attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} {
  %0 = graph.matmul %x, %v : (tensor<5x4x8xf32>, tensor<8x8xf32>) -> tensor<5x4x8xf32>
  %a, %as = graph.scan steps = 5 carry %first each %0, %0 shifts = [0, -1] edges %first with %w, %s : (tensor<4x8xf32>, tensor<5x4x8xf32>, tensor<5x4x8xf32>, tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<5x4x8xf32>) {
  ^bb0(%h: tensor<4x8xf32>, %now: tensor<4x8xf32>, %before: tensor<4x8xf32>, %weight: tensor<8x8xf32>, %scale: tensor<8xf32>):
    %1 = graph.matmul %h, %weight : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %2 = graph.add %1, %now : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %3 = graph.layer_norm %2 weight %scale first_dim = 1 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    %4 = graph.add %3, %before : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %5 = graph.tanh %4 : tensor<4x8xf32>
    graph.yield %5, %3 : tensor<4x8xf32>, tensor<4x8xf32>
  }
  %b, %bs = graph.scan steps = 5 reverse carry %a each %as : (tensor<4x8xf32>, tensor<5x4x8xf32>) -> (tensor<4x8xf32>, tensor<5x4x8xf32>) {
  ^bb0(%h: tensor<4x8xf32>, %now: tensor<4x8xf32>):
    %6 = graph.sigmoid %now : tensor<4x8xf32>
    %7 = graph.mul %h, %6 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %8 = graph.add %7, %now : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    graph.yield %8, %8 : tensor<4x8xf32>, tensor<4x8xf32>
  }
  %last = graph.tanh %b : tensor<4x8xf32>
  %loss = graph.mse %b, %target : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<f32>
  return %loss, %b, %bs, %last : tensor<f32>, tensor<4x8xf32>, tensor<5x4x8xf32>, tensor<4x8xf32>
}
