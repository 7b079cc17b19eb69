"""A model whose constant of 8 bytes is a resource of as many bytes as told."""
import sys

count = int(sys.argv[1])
print("""func.func @m(%x: tensor<8x4xf32> {graph.input = "x"}, %w: tensor<4x2xf32> {graph.parameter = "w", graph.init = #graph.zeros}) -> (tensor<f32> {graph.loss}, tensor<2xf32> {graph.output = "c"}) attributes {graph.training = #graph.training<optimizer = #graph.optimizer<name = "sgd", lr = 0.1>>} {
  %c = graph.constant dense_resource<blob> : tensor<2xf32>
  %0 = graph.matmul %x, %w : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  %loss = graph.mean %0 dims = [0, 1] : (tensor<8x2xf32>) -> tensor<f32>
  return %loss, %c : tensor<f32>, tensor<2xf32>
}""")
print('{-# dialect_resources: { builtin: { blob: "0x04000000' + "0000803f" * (count // 4) + "00" * (count % 4) + '" } } #-}')
